#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "workloads/model/dimensions.hpp"

namespace bench::model {

enum class Initialization { embedding, linear, norm };

struct ParameterShape {
  std::string name;                 // blocks.0.attention.query.weight
  std::vector<std::int64_t> shape;  // linear weights are (out, in)
  Initialization initialization;
};

// Every parameter of the model, in the order in which the forward uses them.
std::vector<ParameterShape> parameter_shapes(const Dimensions& dimensions);

struct BlockParameters {
  at::Tensor attention_norm;             // (d_model)
  at::Tensor query, key, value, output;  // (d_model, d_model)
  at::Tensor feed_forward_norm;          // (d_model)
  at::Tensor w1, w3;                     // (d_ff, d_model)
  at::Tensor w2;                         // (d_model, d_ff)
};

// Tensors are handles: the structured view and the flat list share them.
struct Parameters {
  at::Tensor embedding;  // (vocabulary, d_model)
  std::vector<BlockParameters> blocks;
  at::Tensor final_norm;  // (d_model)
  at::Tensor head;        // (vocabulary, d_model)

  std::vector<std::string> names;
  std::vector<at::Tensor> tensors;  // parallel to names
};

// `tensors` in the order of parameter_shapes.
Parameters arrange_parameters(const Dimensions& dimensions, std::vector<at::Tensor> tensors);

// Copies, each tensor replaced by convert(tensor).
Parameters converted(const Parameters& parameters, const Dimensions& dimensions,
                     const std::function<at::Tensor(const at::Tensor&)>& convert);

}  // namespace bench::model
