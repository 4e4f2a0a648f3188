#include "workloads/model/check_bounds.hpp"

#include <algorithm>
#include <array>

namespace bench::model {
namespace {

// Largest errors seen on a Xeon with AVX-512 (MKL, oneDNN), train-step and forward: d-model 32 with a
// vocabulary of 61 and context 12 over 50 seeds, 128 / 1,000 / 64 over 10, 768 / 10,000 / 256 over 2, 2,560 /
// 10,000 / 256 with 1. They hardly grow with the width (gradients in fp32: 7.0e-7, 8.1e-7, 9.0e-7, 9.3e-7).
struct Seen {
  Quantity quantity;
  double fp32, bf16_mixed;              // of the yardstick
  double lucky_fp32, lucky_bf16_mixed;  // of sdpa and adamw-fused where they exceeded twice the yardstick
};
constexpr std::array kSeen{
    Seen{Quantity::logits, 3.7e-7, 6.7e-3, 0, 0}, Seen{Quantity::loss, 1.6e-7, 6.8e-4, 1.6e-7, 7.8e-4},
    Seen{Quantity::gradient, 9.1e-7, 1.7e-2, 0, 0},
    Seen{Quantity::update, 2.3, 2.3, 0, 0},  // fp32 in both precisions; also at lr 10 and with betas of 0
};
constexpr double kMargin = 3;

// Unit roundoffs of fp32 and of bf16: the least that a floor can sensibly be.
constexpr double kRoundoffFp32 = 0x1p-24;
constexpr double kRoundoffBf16 = 0x1p-9;

// Not measured yet: SPEC's starting values, which are wider.
double unmeasured(Quantity quantity, bool mixed) {
  if (quantity == Quantity::update) return kMargin * 2.3;
  if (quantity == Quantity::loss) return mixed ? 1e-2 : 1e-5;
  return mixed ? 5e-2 : 1e-4;
}

}  // namespace

Bounds bounds(Quantity quantity, Precision precision, c10::DeviceType device) {
  const bool mixed = precision == Precision::bf16_mixed;
  const Seen& seen = *std::ranges::find(kSeen, quantity, &Seen::quantity);
  const double yardstick =
      std::min(kMargin * (mixed ? seen.bf16_mixed : seen.fp32), unmeasured(quantity, mixed));
  const double lucky = kMargin * (mixed ? seen.lucky_bf16_mixed : seen.lucky_fp32);
  const double least = quantity == Quantity::update ? 1
                       : quantity == Quantity::loss ? 0
                       : mixed                      ? kRoundoffBf16
                                                    : kRoundoffFp32;
  return {device == c10::DeviceType::CPU ? yardstick : unmeasured(quantity, mixed), std::max(lucky, least)};
}

}  // namespace bench::model
