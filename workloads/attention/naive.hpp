#pragma once

#include "workloads/attention/attention.hpp"

namespace bench::attention {

// One operator after another, as plain PyTorch code would: the scores are a tensor. Opens the ranges
// ATTN_QK_MATMUL, ATTN_SOFTMAX and ATTN_AV_MATMUL.
Attention make_naive(const Masking& masking);

// Of the scores that naive attention rounds to its dtype: how far off a log-sum-exp may be. (..., Sq) fp32.
at::Tensor naive_log_sum_exp(const at::Tensor& query, const at::Tensor& key, const Masking& masking);

// (Sq, Sk) bool, true where a query must not see a key. Needs a diagonal.
at::Tensor hidden_pairs(const Masking& masking);

}  // namespace bench::attention
