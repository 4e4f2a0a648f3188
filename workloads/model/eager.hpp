#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/attention/attention.hpp"
#include "workloads/model/dimensions.hpp"
#include "workloads/model/parameters.hpp"

namespace bench::model {

// The model as one LibTorch operator after another, as plain PyTorch code would run it.
// workloads/peers/torch_model.py is its twin: change both together.
class EagerModel {
 public:
  // Computes in the parameters' dtype, norms and RoPE in at least fp32, and in autocast's when a guard is
  // open.
  EagerModel(const Dimensions& dimensions, Parameters parameters, attention::Attention attention);

  // tokens: (B, T) int64, T the model's context. Returns (B, T, vocabulary).
  at::Tensor logits(const at::Tensor& tokens) const;

  const Parameters& parameters() const { return parameters_; }

 private:
  at::Tensor attend(const BlockParameters& block, const at::Tensor& x) const;

  Dimensions dimensions_;
  Parameters parameters_;
  attention::Attention attention_;
  at::Tensor cosine_, sine_;  // (T, D/2), fp32 (fp64 for a fp64 model)
};

// Mean over all tokens. logits: (B, T, V); targets: (B, T) int64. Returns a 0-d tensor.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets);

}  // namespace bench::model
