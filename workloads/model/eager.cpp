#include "workloads/model/eager.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/stack.h>

#include <utility>

#include "harness/trace/range.hpp"

namespace bench::model {
namespace {

constexpr double kNormEps = 1e-5;
constexpr double kRopeTheta = 10'000;

at::ScalarType at_least_fp32(at::ScalarType dtype) {
  return dtype == at::kDouble ? at::kDouble : at::kFloat;
}

// x: (..., d). weight: (d).
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight) {
  const at::Tensor wide = x.to(at_least_fp32(x.scalar_type()));
  const at::Tensor inverse_rms = wide.pow(2).mean(-1, /*keepdim=*/true).add(kNormEps).rsqrt();
  return wide.mul(inverse_rms).mul(weight).to(x.scalar_type());
}

// x: (B, H, T, D); rotates the pairs (x[2i], x[2i+1]) by cosine, sine: (T, D/2).
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine) {
  const at::Tensor wide = x.to(at_least_fp32(x.scalar_type()));
  const std::vector<at::Tensor> pair = wide.unflatten(-1, {-1, 2}).unbind(-1);  // two of (B, H, T, D/2)
  const at::Tensor rotated =
      at::stack({pair[0].mul(cosine).sub(pair[1].mul(sine)), pair[0].mul(sine).add(pair[1].mul(cosine))}, -1);
  return rotated.flatten(-2).to(x.scalar_type());
}

}  // namespace

EagerModel::EagerModel(const Dimensions& dimensions, Parameters parameters, attention::Attention attention)
    : dimensions_(dimensions), parameters_(std::move(parameters)), attention_(std::move(attention)) {
  const c10::Device device = parameters_.embedding.device();
  const at::ScalarType dtype = at_least_fp32(parameters_.embedding.scalar_type());
  // Angles in fp64, so that rounding them is the only error of the tables.
  const auto options = at::TensorOptions(at::kDouble).device(device);
  const at::Tensor positions = at::arange(dimensions_.context, options);
  const at::Tensor exponents =
      at::arange(0, dimensions_.d_head(), 2, options).div(double(dimensions_.d_head()));
  const at::Tensor angles = positions.unsqueeze(1).mul(at::pow(kRopeTheta, exponents.neg()));
  cosine_ = angles.cos().to(dtype);
  sine_ = angles.sin().to(dtype);
}

at::Tensor EagerModel::attend(const BlockParameters& block, const at::Tensor& x) const {
  const auto heads = [&](const at::Tensor& weight) {  // (B, T, d) -> (B, H, T, D)
    return at::linear(x, weight).view({x.size(0), x.size(1), dimensions_.heads, -1}).transpose(1, 2);
  };
  const at::Tensor query = rotate(heads(block.query), cosine_, sine_);
  const at::Tensor key = rotate(heads(block.key), cosine_, sine_);
  const at::Tensor attended = attention_(query, key, heads(block.value)).output;
  return at::linear(attended.transpose(1, 2).flatten(-2), block.output);
}

at::Tensor EagerModel::logits(const at::Tensor& tokens) const {
  at::Tensor x = at::embedding(parameters_.embedding, tokens);  // (B, T, d)
  std::int64_t layer = 0;
  for (const BlockParameters& block : parameters_.blocks) {
    const trace::Range range(trace::Name::BLOCK, layer++);
    x = x.add(attend(block, rms_norm(x, block.attention_norm)));
    const at::Tensor normalized = rms_norm(x, block.feed_forward_norm);
    const at::Tensor gated =
        at::silu(at::linear(normalized, block.w1)).mul(at::linear(normalized, block.w3));  // (B, T, d_ff)
    x = x.add(at::linear(gated, block.w2));
  }
  return at::linear(rms_norm(x, parameters_.final_norm), parameters_.head);
}

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets) {
  return at::cross_entropy_loss(logits.flatten(0, 1), targets.flatten());
}

}  // namespace bench::model
