#include "workloads/model/reference.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/polar.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <fmt/format.h>

#include <cmath>

namespace bench::model::reference {
namespace {

// y_o = sum_i W_oi x_i
at::Tensor project(const at::Tensor& x, const at::Tensor& weight) {
  return at::einsum("bti,oi->bto", {x, weight});
}

// w ⊙ x / sqrt(|x|²/d + 1e-5)
at::Tensor normalize(const at::Tensor& x, const at::Tensor& weight) {
  const at::Tensor mean_square = at::einsum("btd,btd->bt", {x, x}).div(double(x.size(-1)));
  return at::einsum("btd,bt,d->btd", {x, mean_square.add(1e-5).pow(-0.5), weight});
}

// The pair (x[2i], x[2i+1]) is the number x[2i] + i·x[2i+1], turned by position · 10000^(-2i/D). x: (B, T, H,
// D).
at::Tensor turn(const at::Tensor& x) {
  const std::int64_t context = x.size(1);
  const std::int64_t half = x.size(3) / 2;
  const auto options = x.options();
  const at::Tensor rate = at::exp(at::arange(half, options).mul(-std::log(10'000.0) / double(half)));
  const at::Tensor angle = at::einsum("t,i->ti", {at::arange(context, options), rate});
  const at::Tensor turning = at::polar(at::ones({context, half}, options), angle).view({1, context, 1, half});
  const at::Tensor numbers = at::view_as_complex(x.reshape({x.size(0), context, x.size(2), half, 2}));
  return at::view_as_real(numbers.mul(turning)).reshape(x.sizes());
}

at::Tensor attention(const Dimensions& d, const Weights& weights, const std::string& prefix,
                     const at::Tensor& x) {
  const auto heads = [&](const char* name) {
    return project(x, weights.at(prefix + name)).reshape({x.size(0), x.size(1), d.heads, d.d_head()});
  };
  const at::Tensor query = turn(heads("query.weight"));
  const at::Tensor key = turn(heads("key.weight"));
  const at::Tensor value = heads("value.weight");

  const at::Tensor score = at::einsum("bqhd,bkhd->bhqk", {query, key}).div(std::sqrt(double(d.d_head())));
  const at::Tensor seen = at::ones({x.size(1), x.size(1)}, x.options()).tril();  // 1 where key <= query
  // The shift cancels in the quotient, so it needs no gradient; it keeps exp from overflowing.
  const at::Tensor weight = at::exp(score.sub(score.detach().amax(-1, true))).mul(seen);
  const at::Tensor mixed =
      at::einsum("bhqk,bkhd->bqhd", {weight.div(weight.sum(-1, true)), value}).reshape(x.sizes());
  return project(mixed, weights.at(prefix + "output.weight"));
}

// w2(silu(w1 x) ⊙ w3 x), silu(a) = a / (1 + e^-a)
at::Tensor feed_forward(const Weights& weights, const std::string& prefix, const at::Tensor& x) {
  const at::Tensor gate = project(x, weights.at(prefix + "w1.weight"));
  const at::Tensor silu = gate.div(at::exp(gate.neg()).add(1.0));
  return project(silu.mul(project(x, weights.at(prefix + "w3.weight"))), weights.at(prefix + "w2.weight"));
}

}  // namespace

at::Tensor logits(const Dimensions& dimensions, const Weights& weights, const at::Tensor& tokens) {
  at::Tensor x = weights.at("embedding.weight").index_select(0, tokens.reshape({-1}));
  x = x.reshape({tokens.size(0), tokens.size(1), dimensions.d_model});
  for (std::int64_t layer = 0; layer < dimensions.layers; ++layer) {
    const std::string block = fmt::format("blocks.{}.", layer);
    x = x.add(attention(dimensions, weights, block + "attention.",
                        normalize(x, weights.at(block + "attention_norm.weight"))));
    x = x.add(feed_forward(weights, block + "feed_forward.",
                           normalize(x, weights.at(block + "feed_forward_norm.weight"))));
  }
  return project(normalize(x, weights.at("final_norm.weight")), weights.at("head.weight"));
}

at::Tensor loss(const at::Tensor& logits, const at::Tensor& targets) {
  const at::Tensor shifted = logits.sub(logits.detach().amax(-1, true));
  const at::Tensor log_normalizer = at::exp(shifted).sum(-1).log();
  const at::Tensor of_target = shifted.gather(-1, targets.unsqueeze(-1)).squeeze(-1);
  return log_normalizer.sub(of_target).mean();
}

at::Tensor adamw(const at::Tensor& parameter, const at::Tensor& gradient, AdamWMoments& moments, int step,
                 const AdamWSettings& settings) {
  const at::Tensor square = gradient.mul(gradient);
  const auto average = [](const at::Tensor& old, const at::Tensor& fresh, double decay) {
    return old.defined() ? old.mul(decay).add(fresh.mul(1 - decay)) : fresh.mul(1 - decay);
  };
  moments.first = average(moments.first, gradient, settings.beta1);
  moments.second = average(moments.second, square, settings.beta2);
  const at::Tensor first = moments.first.div(1 - std::pow(settings.beta1, step));
  const at::Tensor second = moments.second.div(1 - std::pow(settings.beta2, step));
  return parameter.sub(parameter.mul(settings.lr * settings.weight_decay))
      .sub(first.div(second.sqrt().add(settings.eps)).mul(settings.lr));
}

std::vector<at::Tensor> pieces(const at::Tensor& tensor) {
  constexpr std::int64_t kElements = 1 << 15;  // up to which ATen runs an elementwise operator on one thread
  return tensor.view({-1}).split(kElements);
}

}  // namespace bench::model::reference
