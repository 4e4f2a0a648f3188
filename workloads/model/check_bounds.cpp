#include "workloads/model/check_bounds.hpp"

#include <algorithm>
#include <array>

namespace bench::model {
namespace {

// One number a precision; 0: not measured. The CPU has no tf32.
struct PerPrecision {
  double fp32, bf16_mixed, fp16_mixed, bf16, tf32;
};

// Largest errors seen on a Xeon with AVX-512 (MKL, oneDNN): d-model 32 with 61 tokens of vocabulary and
// context 12 over 50 seeds (30 for fp16-mixed and bf16), 128 / 1,000 / 64 over 10 (6), 768 / 10,000 / 256
// over 2 (fp16-mixed 1, forward only; bf16 none), train-step and forward. They hardly grow with the width
// (gradients in fp32: 7.0e-7, 8.1e-7, 9.0e-7). A loss in bf16 is itself rounded to 1 part in 512, and updates
// of a thousandth vanish in weights of 1.
//
// On an H200: --preset seed (d-model 768 to 2,560, context 256) in fp32 and bf16-mixed, small and xl in every
// precision; forward and train-step, one seed.
struct Seen {
  Quantity quantity;
  PerPrecision on_cpu, on_cuda;
  PerPrecision lucky;  // of sdpa and adamw-fused where they exceeded twice the yardstick, or came close to it
};
constexpr std::array kSeen{
    Seen{Quantity::logits, {3.7e-7, 6.7e-3, 7.5e-4, 6.1e-3, 0}, {8.3e-7, 4.1e-3, 5.0e-4, 4.9e-3, 4.1e-4}, {}},
    Seen{Quantity::loss, {2.3e-7, 6.8e-4, 5.4e-5, 1.3e-2, 0}, {}, {1.7e-7, 7.8e-4, 5.3e-5, 1.3e-2, 0}},
    Seen{Quantity::gradient,
         {9.1e-7, 1.7e-2, 1.8e-3, 1.4e-2, 0},
         {2.0e-6, 1.1e-2, 0, 1.1e-2, 0},
         {0, 0, 0, 5e-3, 0}},
    // In units of fp32's rounding but for bf16; also at lr 10 and with betas of 0. Smaller on CUDA.
    Seen{Quantity::update, {2.3, 2.3, 2.3, 3.7, 2.3}, {2.3, 2.3, 2.3, 3.7, 2.3}, {}},
};
constexpr double kMargin = 3;

// What holds until there is a measurement, and the most that one may lead to; and unit roundoffs of the
// narrowest type that takes part: the least that a floor can sensibly be.
struct Format {
  double loss, relative;  // relative: of logits and gradients
  double roundoff;
  double PerPrecision::*seen;
};
Format format_of(Precision precision) {
  switch (precision) {
    case Precision::tf32:
      return {2e-3, 1e-2, 0x1p-11, &PerPrecision::tf32};
    case Precision::fp16_mixed:
      return {2e-3, 1e-2, 0x1p-11, &PerPrecision::fp16_mixed};
    case Precision::bf16_mixed:
      return {1e-2, 5e-2, 0x1p-9, &PerPrecision::bf16_mixed};
    case Precision::bf16:
      return {kMargin * 1.3e-2, 5e-2, 0x1p-9, &PerPrecision::bf16};  // the loss as measured on the CPU
    case Precision::fp32:
    case Precision::fp64:
      break;
  }
  return {1e-5, 1e-4, 0x1p-24, &PerPrecision::fp32};
}

}  // namespace

Bounds bounds(Quantity quantity, Precision precision, c10::DeviceType device) {
  const bool on_cpu = device == c10::DeviceType::CPU;
  const Seen& seen = *std::ranges::find(kSeen, quantity, &Seen::quantity);
  const Format format = format_of(precision);
  const double measured = kMargin * ((on_cpu ? seen.on_cpu : seen.on_cuda).*format.seen);
  const double lucky = kMargin * (seen.lucky.*format.seen);
  if (quantity == Quantity::update) return {measured, 1};
  const double most = quantity == Quantity::loss ? format.loss : format.relative;
  const double yardstick = measured > 0 ? std::min(measured, most) : most;
  if (quantity != Quantity::loss) return {yardstick, std::max(lucky, format.roundoff)};
  // A single number may be hit by luck: an unmeasured one is allowed a tenth of its bound.
  return {yardstick, measured > 0 ? lucky : std::max(lucky, most / 10)};
}

}  // namespace bench::model
