#include "harness/worker/cuda/check.hpp"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace bench::worker::cuda {

void check(cudaError_t status, std::source_location where) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  const std::string_view path = where.file_name();
  const std::string message =
      fmt::format("CUDA error: {} ({}, {}:{})", cudaGetErrorString(status), cudaGetErrorName(status),
                  path.substr(path.rfind('/') + 1), where.line());
  TORCH_CHECK_WITH(OutOfMemoryError, status != cudaErrorMemoryAllocation, message);
  throw std::runtime_error(message);
}

}  // namespace bench::worker::cuda
