#include "harness/core/document.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace bench {

const Gpu* used_gpu(const Environment& environment, std::string_view device) {
  const auto& gpus = environment.gpus;
  const auto used = std::ranges::find_if(gpus, [&](const Gpu& gpu) {
    return gpu.cuda_index && device == fmt::format("cuda:{}", *gpu.cuda_index);
  });
  return used == gpus.end() ? nullptr : &*used;
}

}  // namespace bench
