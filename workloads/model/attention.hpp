#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string_view>

namespace bench::model {

// Causal self-attention of all heads: key <= query by index.
struct AttentionInput {
  const at::Tensor& query;   // (B, H, T, D)
  const at::Tensor& key;     // (B, H, T, D)
  const at::Tensor& value;   // (B, H, T, D)
  const at::Tensor& future;  // (T, T) bool, true where key > query
};

// Returns (B, H, T, D).
using Attention = std::function<at::Tensor(const AttentionInput&)>;

// By a name of kAttentionVariants.
Attention find_attention(std::string_view name);

// 1/√D
double attention_scale(const at::Tensor& query);

}  // namespace bench::model
