#pragma once

#include <map>
#include <string>

namespace bench::worker::cuda {

// Versions of what was loaded: cuda_driver (the newest CUDA it can do), cuda_runtime, cudnn, cublas.
std::map<std::string, std::string> library_versions();

}  // namespace bench::worker::cuda
