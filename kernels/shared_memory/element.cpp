#include "kernels/shared_memory/element.hpp"

namespace bench::shared_memory {

std::size_t bytes_of(Element element) {
  switch (element) {
    case Element::bf16:
      return 2;
    case Element::fp32:
    case Element::int32:
      return 4;
    case Element::fp64:
    case Element::int64:
      return 8;
  }
  return 0;
}

}  // namespace bench::shared_memory
