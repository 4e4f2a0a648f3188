#include "harness/worker/cuda/kernel_names.hpp"

#include <cuda.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "harness/worker/cuda/check.hpp"

namespace bench::worker::cuda {
namespace {

// Of the driver, without linking to it: a machine without one loads this program too.
template <typename Function>
Function driver_function(const char* name, unsigned version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result));
  if (found == nullptr) throw std::runtime_error(fmt::format("this driver has no {}", name));
  return reinterpret_cast<Function>(found);
}

// "void pytorch_flash::flash_fwd_kernel<Traits<64, 128>, true>(Params)" ->
// "pytorch_flash::flash_fwd_kernel<...>"
std::string readable(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  std::string name = status == 0 ? demangled.get() : mangled;
  if (name.starts_with("void ")) name.erase(0, 5);
  const std::size_t end = name.find_first_of("<(");
  if (end == std::string::npos || end == 0) return name;
  return name.substr(0, end) + (name[end] == '<' ? "<...>" : "");
}

}  // namespace

std::vector<std::string> kernel_names(cudaGraph_t graph) {
  using GetParams = CUresult (*)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v2*);
  using GetKernelName = CUresult (*)(const char**, CUkernel);
  using GetFunctionName = CUresult (*)(const char**, CUfunction);
  static const auto get_params = driver_function<GetParams>("cuGraphKernelNodeGetParams", 12000);
  static const auto get_kernel_name = driver_function<GetKernelName>("cuKernelGetName", 12030);
  static const auto get_function_name = driver_function<GetFunctionName>("cuFuncGetName", 12030);

  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count));
  std::vector<std::string> names;
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type));
    if (type != cudaGraphNodeTypeKernel) continue;
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    if (get_params(node, &params) != CUDA_SUCCESS) continue;
    const char* mangled = nullptr;
    const CUresult named = params.func != nullptr ? get_function_name(&mangled, params.func)
                                                  : get_kernel_name(&mangled, params.kern);
    if (named != CUDA_SUCCESS || mangled == nullptr) continue;
    std::string name = readable(mangled);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace bench::worker::cuda
