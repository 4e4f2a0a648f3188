#include "workloads/model/attention.hpp"

#include <ATen/ops/scaled_dot_product_attention.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "harness/core/error.hpp"
#include "harness/trace/range.hpp"
#include "workloads/model/variants.hpp"

namespace bench::model {
namespace {

at::Tensor naive(const AttentionInput& in) {
  at::Tensor scores;  // (B, H, T, T)
  {
    const trace::Range range(trace::Name::ATTN_QK_MATMUL);
    scores = in.query.matmul(in.key.transpose(-2, -1)).mul(attention_scale(in.query));
  }
  at::Tensor probabilities;  // (B, H, T, T)
  {
    const trace::Range range(trace::Name::ATTN_SOFTMAX);
    scores = scores.masked_fill(in.future, -std::numeric_limits<double>::infinity());
    probabilities = scores.softmax(-1);
  }
  const trace::Range range(trace::Name::ATTN_AV_MATMUL);
  return probabilities.matmul(in.value);
}

at::Tensor sdpa(const AttentionInput& in) {
  return at::scaled_dot_product_attention(in.query, in.key, in.value, {}, 0.0, /*is_causal=*/true);
}

struct Binding {
  std::string_view name;
  at::Tensor (*function)(const AttentionInput&);
};
constexpr std::array kBindings{Binding{"naive", naive}, Binding{"sdpa", sdpa}};
static_assert(std::ranges::equal(kBindings, kAttentionVariants, {}, &Binding::name, &Variant::name),
              "every row of kAttentionVariants needs its function here, in the same order");

}  // namespace

double attention_scale(const at::Tensor& query) {
  return 1.0 / std::sqrt(double(query.size(-1)));
}

Attention find_attention(std::string_view name) {
  const auto found = std::ranges::find(kBindings, name, &Binding::name);
  if (found == kBindings.end())
    throw Error(ErrorKind::internal, fmt::format("no attention is named {}", name));
  return found->function;
}

}  // namespace bench::model
