#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

namespace bench::worker::cuda {

// Throws what the status says, with the place of the call: c10::OutOfMemoryError for a lack of memory, else
// std::runtime_error. Takes the error out of the runtime's own record, where LibTorch would find it again.
void check(cudaError_t status, std::source_location where = std::source_location::current());

}  // namespace bench::worker::cuda
