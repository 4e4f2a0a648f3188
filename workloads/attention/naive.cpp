#include "workloads/attention/naive.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>

#include <limits>

#include "harness/trace/range.hpp"

namespace bench::attention {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Naive {
 public:
  explicit Naive(const Masking& masking) {
    if (masking.diagonal) hidden_ = hidden_pairs(masking);
    if (masking.hides_all_keys_of_some_query())
      blind_ = at::arange(masking.queries, at::TensorOptions(masking.device))
                   .add(*masking.diagonal)
                   .lt(0)
                   .unsqueeze(1);
  }

  Attended operator()(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const {
    at::Tensor scores;  // (..., Sq, Sk)
    {
      const trace::Range range(trace::Name::ATTN_QK_MATMUL);
      scores = query.matmul(key.transpose(-2, -1)).mul(scale_of(query));
    }
    at::Tensor probabilities;  // (..., Sq, Sk)
    {
      const trace::Range range(trace::Name::ATTN_SOFTMAX);
      if (hidden_.defined()) scores = scores.masked_fill(hidden_, -kInfinity);
      probabilities = scores.softmax(-1);
      // The softmax of nothing is not a number, here and in its gradient, which masked_fill then drops.
      if (blind_.defined()) probabilities = probabilities.masked_fill(blind_, 0);
    }
    const trace::Range range(trace::Name::ATTN_AV_MATMUL);
    return {probabilities.matmul(value), {}};
  }

 private:
  at::Tensor hidden_;  // (Sq, Sk) bool
  at::Tensor blind_;   // (Sq, 1) bool, the queries that see no key
};

}  // namespace

Attention make_naive(const Masking& masking) {
  return Naive(masking);
}

at::Tensor naive_log_sum_exp(const at::Tensor& query, const at::Tensor& key, const Masking& masking) {
  at::Tensor scores = query.matmul(key.transpose(-2, -1)).mul(scale_of(query));
  if (masking.diagonal) scores = scores.masked_fill(hidden_pairs(masking), -kInfinity);
  return scores.to(at::kFloat).logsumexp(-1);
}

at::Tensor hidden_pairs(const Masking& masking) {
  return at::ones({masking.queries, masking.keys}, at::TensorOptions(at::kBool).device(masking.device))
      .triu(*masking.diagonal + 1);
}

}  // namespace bench::attention
