#include "workloads/attention/inputs.hpp"

#include <ATen/Context.h>
#include <ATen/ops/randn.h>

#include <mutex>
#include <utility>

namespace bench::attention {
namespace {

at::Tensor random(const Problem& problem, std::int64_t length, const at::Generator& generator,
                  c10::Device device, Layout layout) {
  const auto options = at::TensorOptions(scalar_type_of(problem.dtype)).device(device);
  std::vector<std::int64_t> shape = problem.shape(length);
  if (layout == Layout::contiguous) return at::randn(shape, generator, options);
  const std::int64_t rows = static_cast<std::int64_t>(shape.size()) - 2;
  std::swap(shape[static_cast<std::size_t>(rows - 1)], shape[static_cast<std::size_t>(rows)]);
  return at::randn(shape, generator, options).transpose(rows - 1, rows);
}

}  // namespace

at::ScalarType scalar_type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp32:
      return at::kFloat;
    case Dtype::bf16:
      return at::kBFloat16;
    case Dtype::fp16:
      return at::kHalf;
  }
  return at::kFloat;
}

Inputs random_inputs(const Problem& problem, std::uint64_t seed, c10::Device device, Layout layout) {
  // The device's own generator: on a GPU a billion numbers take no time.
  at::Generator generator = at::globalContext().defaultGenerator(device);
  {
    const std::lock_guard lock(generator.mutex());
    generator.set_current_seed(seed);
  }
  Inputs inputs;
  inputs.query = random(problem, problem.queries, generator, device, layout);
  inputs.key = random(problem, problem.keys, generator, device, layout);
  inputs.value = random(problem, problem.keys, generator, device, layout);
  if (problem.mode != Mode::forward)
    inputs.d_output = random(problem, problem.queries, generator, device, layout);
  return inputs;
}

Masking masking_of(const Problem& problem, c10::Device device) {
  return {.queries = problem.queries, .keys = problem.keys, .diagonal = problem.diagonal(), .device = device};
}

}  // namespace bench::attention
