#include "workloads/model/check_bounds.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace bench::model {
namespace {

// Largest errors seen on a Xeon with AVX-512 (MKL, oneDNN): d-model 32 with 61 tokens of vocabulary and
// context 12 over 50 seeds, 128 / 1,000 / 64 over 10, 768 / 10,000 / 256 over 2, train-step and forward. They
// hardly grow with the width (gradients in fp32: 7.0e-7, 8.1e-7, 9.0e-7).
struct Seen {
  Quantity quantity;
  double fp32, bf16_mixed;              // of the yardstick
  double lucky_fp32, lucky_bf16_mixed;  // of sdpa and adamw-fused where they exceeded twice the yardstick
};
constexpr std::array kSeen{
    Seen{Quantity::logits, 3.7e-7, 6.7e-3, 0, 0}, Seen{Quantity::loss, 2.3e-7, 6.7e-4, 1.7e-7, 4.2e-4},
    Seen{Quantity::gradient, 9.1e-7, 1.7e-2, 0, 0},
    Seen{Quantity::update, 2.3, 2.3, 0, 0},  // fp32 in both precisions; also at lr 10 and with betas of 0
};
constexpr double kMargin = 3;

// SPEC's starting values, which are wider, for what is not measured yet: everything on CUDA, tf32.
struct Starting {
  double loss, relative;  // relative: of logits and gradients
};
Starting starting(Precision precision) {
  switch (precision) {
    case Precision::tf32:
    case Precision::fp16_mixed:
      return {2e-3, 1e-2};
    case Precision::bf16_mixed:
    case Precision::bf16:
      return {1e-2, 5e-2};
    case Precision::fp32:
    case Precision::fp64:
      break;
  }
  return {1e-5, 1e-4};
}

// Three times what was seen on the CPU; nothing where it was not measured.
std::optional<double> measured(const Seen& seen, Precision precision) {
  if (seen.quantity == Quantity::update && precision != Precision::bf16) return kMargin * seen.fp32;
  if (precision == Precision::fp32) return kMargin * seen.fp32;
  if (precision == Precision::bf16_mixed) return kMargin * seen.bf16_mixed;
  return std::nullopt;
}

// Unit roundoff of the narrowest type that takes part: the least that a floor can sensibly be.
double roundoff(Precision precision) {
  switch (precision) {
    case Precision::tf32:
    case Precision::fp16_mixed:
      return 0x1p-11;
    case Precision::bf16_mixed:
    case Precision::bf16:
      return 0x1p-9;
    case Precision::fp32:
    case Precision::fp64:
      break;
  }
  return 0x1p-24;
}

double starting_bound(Quantity quantity, Precision precision) {
  if (quantity == Quantity::update) return kMargin * 2.3;
  return quantity == Quantity::loss ? starting(precision).loss : starting(precision).relative;
}

// A yardstick's loss may be right by luck: one number, whose errors cancel. Elsewhere many numbers make an error.
double floor_of(const Seen& seen, Precision precision, bool on_cpu) {
  if (seen.quantity == Quantity::update) return 1;
  if (seen.quantity != Quantity::loss) return roundoff(precision);
  if (on_cpu && precision == Precision::fp32) return kMargin * seen.lucky_fp32;
  if (on_cpu && precision == Precision::bf16_mixed) return kMargin * seen.lucky_bf16_mixed;
  return starting(precision).loss / 10;
}

}  // namespace

Bounds bounds(Quantity quantity, Precision precision, c10::DeviceType device) {
  const bool on_cpu = device == c10::DeviceType::CPU;
  const Seen& seen = *std::ranges::find(kSeen, quantity, &Seen::quantity);
  const double start = starting_bound(quantity, precision);
  const std::optional<double> from_cpu = measured(seen, precision);
  return {on_cpu && from_cpu ? std::min(*from_cpu, start) : start, floor_of(seen, precision, on_cpu)};
}

}  // namespace bench::model
