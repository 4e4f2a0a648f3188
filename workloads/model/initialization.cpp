#include "workloads/model/initialization.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace bench::model {
namespace {

// As torch.nn.init.trunc_normal_: a uniform draw over the kept part of the distribution, through its inverse.
at::Tensor truncated_normal(const std::vector<std::int64_t>& shape, double std_deviation,
                            at::Generator& generator) {
  constexpr double kCut = 3.0;  // in standard deviations
  const double kept = std::erf(kCut / std::numbers::sqrt2);
  at::Tensor tensor = at::empty(shape, at::TensorOptions(at::kFloat).device(generator.device()));
  tensor.uniform_(-kept, kept, generator);
  tensor.erfinv_();
  tensor.mul_(std_deviation * std::numbers::sqrt2);
  tensor.clamp_(-kCut * std_deviation, kCut * std_deviation);
  return tensor;
}

at::Tensor initialized(const ParameterShape& parameter, at::Generator& generator) {
  switch (parameter.initialization) {
    case Initialization::norm:
      return at::ones(parameter.shape, at::TensorOptions(at::kFloat).device(generator.device()));
    case Initialization::embedding:
      return truncated_normal(parameter.shape, 1.0, generator);
    case Initialization::linear:
      break;
  }
  const double in_and_out = double(parameter.shape[0] + parameter.shape[1]);
  return truncated_normal(parameter.shape, std::sqrt(2.0 / in_and_out), generator);
}

}  // namespace

at::Generator seeded_generator(std::uint64_t seed, c10::Device device) {
  if (device.is_cpu()) return at::make_generator<at::CPUGeneratorImpl>(seed);
  at::Generator generator = at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(seed);
  return generator;
}

Parameters initialized_parameters(const Dimensions& dimensions, at::Generator& generator,
                                  const worker::ProgressSink& progress) {
  const std::vector<ParameterShape> shapes = parameter_shapes(dimensions);
  std::vector<at::Tensor> tensors;
  for (const ParameterShape& shape : shapes) {
    tensors.push_back(initialized(shape, generator));
    if (progress) progress("parameters", std::int64_t(tensors.size()), std::int64_t(shapes.size()));
  }
  return arrange_parameters(dimensions, std::move(tensors));
}

Parameters in_precision(Parameters parameters, const Dimensions& dimensions, Precision precision) {
  if (precision != Precision::bf16) return parameters;
  return converted(parameters, dimensions, [](const at::Tensor& tensor) { return tensor.to(at::kBFloat16); });
}

Batch random_batch(const Dimensions& dimensions, at::Generator& generator) {
  const auto draw = [&] {
    return at::randint(dimensions.vocabulary, {dimensions.batch, dimensions.context}, generator,
                       at::TensorOptions(at::kLong).device(generator.device()));
  };
  at::Tensor tokens = draw();
  return {std::move(tokens), draw()};
}

}  // namespace bench::model
