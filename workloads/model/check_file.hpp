#pragma once

#include <string>

#include "workloads/model/check.hpp"

namespace bench::model {

// Writes the basis of a check for programs that have no reference of their own (workloads/peers), as
// safetensors:
//
//   weight.NAME     every parameter of the small version, in the model's order; fp32, for a bf16 case bf16
//   tokens, targets int64 (B, T)
//   forward         logits fp64 (B, T, V) and allowed.logits fp64 (1)
//   otherwise       losses fp64: one or, in train-step, also those after one and two updates; gradient.NAME
//                   fp64 of the first; allowed.losses and allowed.gradients fp64, one each, in order
//   train-step      adamw fp64 (5): lr, beta1, beta2, eps, weight decay of the updates between the losses;
//                   updated.NAME fp64, after three updates with the case's settings from `gradient`, rounded
//                   to the weights' dtype, times 1, -1/2, 1/4; allowed.updates fp64
//
// `allowed` is a bound of the relative error, as check.cpp computes it: twice the yardstick's, or the floor.
// Throws Error(internal) when the yardstick itself is off.
void write_check_file(const CheckRequest& request, const std::string& path);

}  // namespace bench::model
