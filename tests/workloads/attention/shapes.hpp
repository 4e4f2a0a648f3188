#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/attention/attention.hpp"
#include "workloads/attention/inputs.hpp"
#include "workloads/attention/problem.hpp"

namespace bench::attention {

// Everything that one forward and backward of an implementation gives.
struct Outcome {
  Attended attended;
  at::Tensor d_query, d_key, d_value;
};

inline Outcome run(const std::string& implementation, const Inputs& inputs, const Masking& masking) {
  const std::vector<at::Tensor> leaves{inputs.query.detach().requires_grad_(),
                                       inputs.key.detach().requires_grad_(),
                                       inputs.value.detach().requires_grad_()};
  Outcome outcome{.attended = make_attention(implementation, masking)(leaves[0], leaves[1], leaves[2])};
  outcome.attended.output.backward(inputs.d_output);
  outcome.d_query = leaves[0].grad();
  outcome.d_key = leaves[1].grad();
  outcome.d_value = leaves[2].grad();
  return outcome;
}

inline const std::vector<std::string> kOnTheCpu{"naive", "tiled", "sdpa", "sdpa-math", "sdpa-flash"};

}  // namespace bench::attention
