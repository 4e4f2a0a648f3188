#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "workloads/model/configuration.hpp"

// AdamW as the sequences of operators that torch 2.11 runs for it (torch/optim/adam.py). Called under
// no_grad.
namespace bench::model {

// The lists are parallel.
struct AdamWState {
  AdamWSettings settings;
  std::vector<at::Tensor> parameters;      // fp32 or bf16, each with a .grad() when updated
  std::vector<at::Tensor> first_moments;   // exp_avg, shaped as the parameter and of its dtype
  std::vector<at::Tensor> second_moments;  // exp_avg_sq
  std::vector<at::Tensor> steps;           // 0-d fp32: updates done
  // 0-d fp32, of a loss scaler; undefined without one. found_inf 1: this update is to change nothing.
  at::Tensor found_inf;
  at::Tensor grad_scale;  // adamw_fused alone divides by it
};

using AdamWFunction = void (*)(AdamWState&);

// _single_tensor_adam, PyTorch's choice on the CPU. Reads step counters and found_inf, which are CPU tensors.
void adamw_loop(AdamWState& state);
// _multi_tensor_adam, its choice on CUDA. Step counters are CPU tensors; found_inf must be undefined.
void adamw_foreach(AdamWState& state);
// _multi_tensor_adam with capturable=True: step counters live on the device and nothing is read on the host.
// But for the bias corrections, which are here computed in fp64 from the first counter, all being equal:
// PyTorch takes 1 - 0.999^t in fp32, which loses four digits of the first updates. With found_inf a
// `masked_fill_` on each gradient (zeros after a skipped update), and factors that are neutral when it is 1,
// take the place of PyTorch's wait for it.
void adamw_capturable(AdamWState& state);
// _fused_adam: one kernel a few hundred tensors. Step counters live on the parameters' device.
void adamw_fused(AdamWState& state);

}  // namespace bench::model
