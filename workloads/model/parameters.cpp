#include "workloads/model/parameters.hpp"

#include <fmt/format.h>

#include <utility>

#include "harness/core/error.hpp"

namespace bench::model {

std::vector<ParameterShape> parameter_shapes(const Dimensions& dimensions) {
  const std::int64_t d = dimensions.d_model;
  const std::int64_t d_ff = dimensions.d_ff;
  const std::int64_t vocabulary = dimensions.vocabulary;
  std::vector<ParameterShape> shapes;
  shapes.push_back({"embedding.weight", {vocabulary, d}, Initialization::embedding});
  for (std::int64_t layer = 0; layer < dimensions.layers; ++layer) {
    const auto add = [&](const char* name, std::vector<std::int64_t> shape, Initialization initialization) {
      shapes.push_back({fmt::format("blocks.{}.{}.weight", layer, name), std::move(shape), initialization});
    };
    add("attention_norm", {d}, Initialization::norm);
    add("attention.query", {d, d}, Initialization::linear);
    add("attention.key", {d, d}, Initialization::linear);
    add("attention.value", {d, d}, Initialization::linear);
    add("attention.output", {d, d}, Initialization::linear);
    add("feed_forward_norm", {d}, Initialization::norm);
    add("feed_forward.w1", {d_ff, d}, Initialization::linear);
    add("feed_forward.w3", {d_ff, d}, Initialization::linear);
    add("feed_forward.w2", {d, d_ff}, Initialization::linear);
  }
  shapes.push_back({"final_norm.weight", {d}, Initialization::norm});
  shapes.push_back({"head.weight", {vocabulary, d}, Initialization::linear});
  return shapes;
}

Parameters arrange_parameters(const Dimensions& dimensions, std::vector<at::Tensor> tensors) {
  Parameters parameters;
  for (ParameterShape& shape : parameter_shapes(dimensions))
    parameters.names.push_back(std::move(shape.name));
  if (parameters.names.size() != tensors.size()) {
    throw Error(ErrorKind::internal, fmt::format("a model of {} parameter tensors was given {}",
                                                 parameters.names.size(), tensors.size()));
  }
  parameters.tensors = std::move(tensors);

  auto next = parameters.tensors.begin();
  parameters.embedding = *next++;
  for (std::int64_t layer = 0; layer < dimensions.layers; ++layer) {
    BlockParameters block;
    for (at::Tensor* member : {&block.attention_norm, &block.query, &block.key, &block.value, &block.output,
                               &block.feed_forward_norm, &block.w1, &block.w3, &block.w2}) {
      *member = *next++;
    }
    parameters.blocks.push_back(std::move(block));
  }
  parameters.final_norm = *next++;
  parameters.head = *next++;
  return parameters;
}

Parameters converted(const Parameters& parameters, const Dimensions& dimensions,
                     const std::function<at::Tensor(const at::Tensor&)>& convert) {
  std::vector<at::Tensor> tensors;
  for (const at::Tensor& tensor : parameters.tensors) tensors.push_back(convert(tensor));
  return arrange_parameters(dimensions, std::move(tensors));
}

}  // namespace bench::model
