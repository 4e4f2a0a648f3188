#pragma once

#include <cstddef>

namespace bench::shared_memory {

enum class Element { fp32, fp64, bf16, int32, int64 };

std::size_t bytes_of(Element element);

}  // namespace bench::shared_memory
