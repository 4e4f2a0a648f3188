#include "workloads/attention/reference.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bench::attention::reference {
namespace {

// (N, S, D) fp64
at::Tensor wide(const at::Tensor& x) {
  return x.detach().to(at::kDouble).reshape({-1, x.size(-2), x.size(-1)});
}

// 1 where a query of these indices sees a key, else 0. (rows, Sk) fp64.
at::Tensor seen(const Masking& masking, const at::Tensor& queries) {
  const auto options = at::TensorOptions(at::kLong).device(masking.device);
  const at::Tensor ones =
      at::ones({queries.size(0), masking.keys}, at::TensorOptions(at::kDouble).device(masking.device));
  if (!masking.diagonal) return ones;
  const at::Tensor key = at::arange(masking.keys, options).unsqueeze(0);
  return ones.mul(key.sub(queries.unsqueeze(1)).le(*masking.diagonal));
}

// Scores, weights and what follows from them for some queries. All (N, rows, ...) fp64.
struct Rows {
  at::Tensor weights;      // (N, rows, Sk): exp(score - log_sum_exp), 0 where hidden
  at::Tensor log_sum_exp;  // (N, rows)
  at::Tensor output;       // (N, rows, D)
};

// query: (N, rows, D), key, value: (N, Sk, D); `sight`: (rows, Sk) of 0 and 1.
Rows attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
            const at::Tensor& sight) {
  const at::Tensor score = at::einsum("nqd,nkd->nqk", {query, key}).div(std::sqrt(double(query.size(-1))));
  // The largest score that is visible: exp must not overflow, nor all that counts underflow.
  const at::Tensor shift = score.add(sight.sub(1).mul(1e300)).amax(-1, /*keepdim=*/true);
  at::Tensor weights = at::exp(score.sub(shift).clamp_max(0)).mul(sight);
  const at::Tensor sum = weights.sum(-1, /*keepdim=*/true);
  const at::Tensor sees_none = sum.eq(0);
  weights = weights.div(sum.add(sees_none));
  const at::Tensor log_sum_exp =
      shift.add(sum.log()).masked_fill(sees_none, -std::numeric_limits<double>::infinity());
  return {weights, log_sum_exp.squeeze(-1), at::einsum("nqk,nkd->nqd", {weights, value})};
}

// dS/√D = P ⊙ (dO·V - dO·O)/√D. (N, rows, Sk).
at::Tensor d_scores(const Rows& rows, const at::Tensor& d_output, const at::Tensor& value) {
  const at::Tensor d_weights = at::einsum("nqd,nkd->nqk", {d_output, value});
  const at::Tensor mean = d_output.mul(rows.output).sum(-1, /*keepdim=*/true);
  return rows.weights.mul(d_weights.sub(mean)).div(std::sqrt(double(value.size(-1))));
}

}  // namespace

Results attention(const Inputs& inputs, const Masking& masking) {
  const at::Tensor query = wide(inputs.query), key = wide(inputs.key), value = wide(inputs.value);
  const at::Tensor indices = at::arange(masking.queries, at::TensorOptions(at::kLong).device(masking.device));
  const Rows rows = attend(query, key, value, seen(masking, indices));
  Results results;
  results.output = rows.output.reshape(inputs.query.sizes());
  results.log_sum_exp =
      rows.log_sum_exp.reshape(inputs.query.sizes().slice(0, inputs.query.sizes().size() - 1));
  if (!inputs.d_output.defined()) return results;
  const at::Tensor d_output = wide(inputs.d_output);
  const at::Tensor d_score = d_scores(rows, d_output, value);
  results.d_query = at::einsum("nqk,nkd->nqd", {d_score, key}).reshape(inputs.query.sizes());
  results.d_key = at::einsum("nqk,nqd->nkd", {d_score, query}).reshape(inputs.key.sizes());
  results.d_value = at::einsum("nqk,nqd->nkd", {rows.weights, d_output}).reshape(inputs.value.sizes());
  return results;
}

Results some_queries(const Inputs& matrix, const Masking& masking, const at::Tensor& rows) {
  const at::Tensor query = wide(matrix.query.index_select(0, rows));
  const at::Tensor key = wide(matrix.key), value = wide(matrix.value);
  const Rows attended = attend(query, key, value, seen(masking, rows));
  Results results{.output = attended.output.squeeze(0), .log_sum_exp = attended.log_sum_exp.squeeze(0)};
  if (!matrix.d_output.defined()) return results;
  const at::Tensor d_output = wide(matrix.d_output.index_select(0, rows));
  results.d_query = at::einsum("nqk,nkd->nqd", {d_scores(attended, d_output, value), key}).squeeze(0);
  return results;
}

Results some_keys(const Inputs& matrix, const Masking& masking, const at::Tensor& rows) {
  constexpr std::int64_t kElements = 1 << 23;  // 64 MiB of fp64 a temporary
  const std::int64_t at_once = std::max<std::int64_t>(1, kElements / masking.keys);
  const at::Tensor key = wide(matrix.key), value = wide(matrix.value);
  const at::Tensor indices = at::arange(masking.queries, at::TensorOptions(at::kLong).device(masking.device));
  Results results;
  results.d_key = at::zeros({rows.size(0), key.size(2)}, key.options());
  results.d_value = at::zeros({rows.size(0), value.size(2)}, value.options());
  for (std::int64_t first = 0; first < masking.queries; first += at_once) {
    const std::int64_t count = std::min(at_once, masking.queries - first);
    const at::Tensor query = wide(matrix.query.narrow(0, first, count));
    const at::Tensor d_output = wide(matrix.d_output.narrow(0, first, count));
    const Rows attended = attend(query, key, value, seen(masking, indices.narrow(0, first, count)));
    const at::Tensor d_score = d_scores(attended, d_output, value).index_select(2, rows);
    results.d_key.add_(at::einsum("nqk,nqd->kd", {d_score, query}));
    results.d_value.add_(at::einsum("nqk,nqd->kd", {attended.weights.index_select(2, rows), d_output}));
  }
  return results;
}

}  // namespace bench::attention::reference
