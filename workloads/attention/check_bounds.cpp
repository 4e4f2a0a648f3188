#include "workloads/attention/check_bounds.hpp"

#include <algorithm>
#include <array>

namespace bench::attention {
namespace {

struct PerDtype {
  double fp32, bf16, fp16;

  double of(Dtype dtype) const {
    switch (dtype) {
      case Dtype::fp32:
        return fp32;
      case Dtype::bf16:
        return bf16;
      case Dtype::fp16:
        return fp16;
    }
    return 0;
  }
};

// Largest errors seen on a Xeon with AVX-512 (MKL, oneDNN) over 270 random problems a dtype: up to 160
// queries and keys (a third of the lengths 4 or less), d-head 8 to 256, all masks, standard normal inputs in
// two layouts. They do not grow with the length. On an H200 (lengths up to 2,048) naive stays below them, and
// sdpa-efficient's output in fp32 is off by 4.9e-7, where naive's is by 2.5e-7.
struct Seen {
  Quantity quantity;
  PerDtype naive;
  PerDtype lucky;  // of tiled, sdpa-math and sdpa-flash where they exceeded twice naive's
};
constexpr std::array kSeen{
    Seen{Quantity::output, {5.3e-7, 8.0e-3, 1.1e-3}, {4.9e-7, 0, 0}},
    Seen{Quantity::largest_output, {1.9e-6, 2.2e-2, 3.3e-3}, {9.6e-7, 6.8e-3, 6.1e-4}},
    Seen{Quantity::gradient, {2.9e-7, 6.4e-3, 6.9e-4}, {3.8e-7, 5.0e-3, 4.3e-4}},
    Seen{Quantity::largest_gradient, {1.2e-6, 1.7e-2, 1.9e-3}, {1.6e-6, 1.5e-2, 1.7e-3}},
    // Absolute. Scores of up to 5 rounded to 8 bits are off by 1/128.
    Seen{Quantity::log_sum_exp, {1e-6, 8e-3, 1e-3}, {0, 5.6e-3, 5.1e-4}},
};
constexpr double kMargin = 3;
constexpr double kMarginOfLuck = 2;
constexpr PerDtype kRoundoff{0x1p-24, 0x1p-9, 0x1p-11};
constexpr double kLogSumExp = 1e-5;  // what fp32 arithmetic reaches whatever the inputs' dtype

}  // namespace

Bounds bounds(Quantity quantity, Dtype dtype) {
  const Seen& seen = *std::ranges::find(kSeen, quantity, &Seen::quantity);
  const double least = quantity == Quantity::log_sum_exp ? kLogSumExp : 2 * kRoundoff.of(dtype);
  return {kMargin * seen.naive.of(dtype), std::max(least, kMarginOfLuck * seen.lucky.of(dtype))};
}

}  // namespace bench::attention
