#pragma once

#include <cstddef>
#include <span>

#include "kernels/shared_memory/element.hpp"

namespace bench::shared_memory {

// out[i] = sources[0][i] + sources[1][i] + ..., in this order, `bytes` of elements each; at least one source.
// Integers wrap around. bf16 is summed in fp32 and rounded once, to the nearest, ties to even. `out` may be
// one of the sources, and overlaps none otherwise.
void sum(Element element, std::span<const std::byte* const> sources, std::byte* out, std::size_t bytes);

}  // namespace bench::shared_memory
