#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace bench::worker::cuda {

// The kernels of a graph, each once, in the order of its nodes: as declared, without namespaces' and
// templates' arguments' full length. A kernel that the driver does not name is left out.
std::vector<std::string> kernel_names(cudaGraph_t graph);

}  // namespace bench::worker::cuda
