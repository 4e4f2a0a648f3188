#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "workloads/attention/attention.hpp"
#include "workloads/attention/inputs.hpp"

// Attention from its formulas, in fp64, with no code in common with the implementations: no autograd, no
// softmax operator, the mask from indices. Its gradients are tested against finite differences.
namespace bench::attention::reference {

// fp64, shaped as the inputs; the gradients are undefined without Inputs::d_output.
struct Results {
  at::Tensor output;       // (..., Sq, D)
  at::Tensor log_sum_exp;  // (..., Sq), -inf for a query that sees no key
  at::Tensor d_query, d_key, d_value;
};

// All of it; holds a few (N, Sq, Sk) tensors of fp64.
Results attention(const Inputs& inputs, const Masking& masking);

// Of one matrix ("head") of a large problem, query: (Sq, D), key, value: (Sk, D): some rows of output,
// log_sum_exp and d_query, in memory of rows.size() · Sk.
Results some_queries(const Inputs& matrix, const Masking& masking, const at::Tensor& rows);
// Some rows of d_key and d_value: all queries take part, a few thousand at a time.
Results some_keys(const Inputs& matrix, const Masking& masking, const at::Tensor& rows);

}  // namespace bench::attention::reference
