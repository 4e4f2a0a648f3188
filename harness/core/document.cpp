#include "harness/core/document.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace bench {

const Gpu* used_gpu(const Document& document) {
  return used_gpu(document.environment, document.run.device);
}

const Gpu* used_gpu(const Environment& environment, const std::string& device) {
  const auto used = std::ranges::find_if(environment.gpus, [&](const Gpu& gpu) {
    return gpu.cuda_index && device == fmt::format("cuda:{}", *gpu.cuda_index);
  });
  return used == environment.gpus.end() ? nullptr : &*used;
}

}  // namespace bench
