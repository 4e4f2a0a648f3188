#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "workloads/model/configuration.hpp"
#include "workloads/model/dimensions.hpp"

// A second model, written from the formulas and sharing no code with eager.cpp, against which eager itself is
// checked: RoPE as a product of complex numbers, softmax as exp and sum, every contraction an einsum. fp64,
// slow, plain.
namespace bench::model::reference {

using Weights = std::map<std::string, at::Tensor>;  // by the names of parameters.cpp, fp64

// tokens: (B, T) int64. Returns (B, T, vocabulary) fp64.
at::Tensor logits(const Dimensions& dimensions, const Weights& weights, const at::Tensor& tokens);

// Mean of -log softmax(logits)[target]. 0-d.
at::Tensor loss(const at::Tensor& logits, const at::Tensor& targets);

// AdamW from the paper (Loshchilov and Hutter 2019, algorithm 2), eps after bias correction; every argument
// fp64.
struct AdamWMoments {
  at::Tensor first, second;  // undefined before the first step
};
// Returns the parameter after update `step` (1, 2, ...).
at::Tensor adamw(const at::Tensor& parameter, const at::Tensor& gradient, AdamWMoments& moments, int step,
                 const AdamWSettings& settings);

// A tensor flattened into pieces that stay in cache with all that adamw() makes of them: five times faster
// than whole.
std::vector<at::Tensor> pieces(const at::Tensor& tensor);

}  // namespace bench::model::reference
