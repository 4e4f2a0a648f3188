#include "workloads/attention/check_bounds.hpp"

namespace bench::attention {
namespace {

// Unit roundoff.
double roundoff(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp32:
      return 0x1p-24;
    case Dtype::bf16:
      return 0x1p-9;
    case Dtype::fp16:
      return 0x1p-11;
  }
  return 0;
}

}  // namespace

Bounds bounds(Quantity quantity, Dtype dtype, c10::DeviceType) {
  const double unit = roundoff(dtype);
  if (quantity == Quantity::log_sum_exp) return {16 * unit, 1e-5};
  return {1e3 * unit, 2 * unit};
}

}  // namespace bench::attention
