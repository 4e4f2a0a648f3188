#include "workloads/model/check_bounds.hpp"

namespace bench::model {

Bounds bounds(Quantity quantity, Precision precision) {
  const bool fp32 = precision != Precision::bf16_mixed;
  switch (quantity) {
    case Quantity::logits:
      return fp32 ? Bounds{1e-4, 1e-6} : Bounds{5e-2, 1e-3};
    case Quantity::loss:
      return fp32 ? Bounds{1e-5, 1e-6} : Bounds{1e-2, 1e-3};
    case Quantity::later_loss:
      return fp32 ? Bounds{1e-5, 1e-6} : Bounds{1e-2, 1e-3};
    case Quantity::gradient:
      return fp32 ? Bounds{1e-4, 1e-6} : Bounds{5e-2, 1e-3};
    case Quantity::update:
      return Bounds{1e-3, 1e-5};
  }
  return {};
}

}  // namespace bench::model
