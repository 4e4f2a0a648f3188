#pragma once

#include <string>
#include <string_view>

#include "harness/core/case.hpp"
#include "harness/core/names.hpp"
#include "workloads/model/dimensions.hpp"

namespace bench::model {

enum class Mode {
  forward,           // inference: no_grad, logits only
  forward_backward,  // loss and gradients
  train_step,        // loss, gradients, optimizer
};

enum class Precision {
  fp32,
  tf32,        // fp32 tensors; matrix products round their inputs to 10 bits of mantissa (CUDA only)
  bf16_mixed,  // fp32 weights, gradients and optimizer; autocast to bf16 in the forward
  fp16_mixed,  // the same with fp16, and a loss scaler
  bf16,        // everything: weights, gradients and the optimizer's moments too
  fp64,        // the check's reference; not a choice of the command line
};

// What --mode and --precision accept, in their order.
inline constexpr Names<Mode, 3> kModes{{
    {Mode::forward, "forward"},
    {Mode::forward_backward, "forward-backward"},
    {Mode::train_step, "train-step"},
}};
inline constexpr Names<Precision, 5> kPrecisions{{
    {Precision::fp32, "fp32"},
    {Precision::tf32, "tf32"},
    {Precision::bf16_mixed, "bf16-mixed"},
    {Precision::fp16_mixed, "fp16-mixed"},
    {Precision::bf16, "bf16"},
}};

std::string_view to_text(Mode mode);
std::string_view to_text(Precision precision);

// torch.optim.AdamW's, eps added after bias correction.
struct AdamWSettings {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;
};

// A case in the types that the worker computes with.
struct Configuration {
  Dimensions dimensions;
  Mode mode = Mode::train_step;
  Precision precision = Precision::fp32;
  std::string attention = "naive";
  std::string optimizer = "adamw";  // of no meaning outside train_step
  AdamWSettings adamw;
  bool captured = false;  // its steps go into a CUDA graph
};

// Throws Error(internal) for a value that no parameter offers: the command line has refused it before.
Configuration configuration_of(const Case& configuration);

}  // namespace bench::model
