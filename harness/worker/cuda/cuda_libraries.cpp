#include "harness/worker/cuda/cuda_libraries.hpp"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <library_types.h>

namespace bench::worker::cuda {
namespace {

// 13000 -> "13.0"
std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// Of the library that libtorch_cuda loaded: linking to one by ourselves could load a second.
std::string cublas_version() {
  using GetProperty = int (*)(libraryPropertyType, int*);
  const auto get = reinterpret_cast<GetProperty>(dlsym(RTLD_DEFAULT, "cublasGetProperty"));
  int major = 0, minor = 0, patch = 0;
  if (get == nullptr || get(MAJOR_VERSION, &major) != 0 || get(MINOR_VERSION, &minor) != 0 ||
      get(PATCH_LEVEL, &patch) != 0)
    return "unknown";
  return fmt::format("{}.{}.{}", major, minor, patch);
}

std::string cudnn_version() {
  if (!at::detail::getCUDAHooks().hasCuDNN()) return "none";
  const long version = at::detail::getCUDAHooks().versionRuntimeCuDNN();  // 91900
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace

std::map<std::string, std::string> library_versions() {
  int runtime = 0, driver = 0;
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  static_cast<void>(cudaDriverGetVersion(&driver));
  return {{"cuda_runtime", cuda_version(runtime)},
          {"cuda_driver", cuda_version(driver)},
          {"cudnn", cudnn_version()},
          {"cublas", cublas_version()}};
}

}  // namespace bench::worker::cuda
