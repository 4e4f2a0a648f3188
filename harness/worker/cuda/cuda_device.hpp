#pragma once

#include <cstdint>
#include <memory>

#include "harness/worker/device.hpp"

namespace bench::worker::cuda {

// One GPU. From its construction on, all work of the calling thread goes to one stream of LibTorch's pool,
// and autograd follows it; TF32 and cuDNN's benchmarking are off. Marks are events. Memory is that of
// LibTorch's caching allocator, whose categories nobody knows. memory_limit_bytes: that allocator's, 0 for
// none. Throws Error(environment), in one sentence, where that GPU cannot be used.
std::unique_ptr<Device> make_cuda_device(int index, std::int64_t memory_limit_bytes);

}  // namespace bench::worker::cuda
