#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace bench::attention {

// Which keys a query sees.
struct Masking {
  std::int64_t queries = 0, keys = 0;
  // key <= query + diagonal; nullopt: all keys.
  std::optional<std::int64_t> diagonal;
  c10::Device device = c10::Device(c10::kCPU);

  // The keys that a query sees are those from 0 to, not including, this.
  std::int64_t visible_end(std::int64_t query) const;
  bool hides_all_keys_of_some_query() const { return diagonal && *diagonal < 0; }
};

// query: (..., Sq, D); key, value: (..., Sk, D), three or four dimensions, any strides.
struct Attended {
  at::Tensor output;       // (..., Sq, D), zero for a query that sees no key
  at::Tensor log_sum_exp;  // (..., Sq) fp32, natural, of QKᵀ/√D after masking; undefined: not returned
};
// Differentiable in all three. Throws worker::Unsupported where the library refuses the inputs.
using Attention =
    std::function<Attended(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value)>;

// By a name of kVariants. What depends on the mask alone (a tensor of it) is made here, once.
Attention make_attention(std::string_view name, const Masking& masking);

// 1/√D
double scale_of(const at::Tensor& query);

}  // namespace bench::attention
