#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "harness/core/case.hpp"

namespace bench::model {

// Everything that fixes the shapes of a model and of its batch.
struct Dimensions {
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;
  std::int64_t batch = 0;

  std::int64_t d_head() const { return d_model / heads; }
  std::int64_t tokens() const { return batch * context; }
  bool operator==(const Dimensions&) const = default;
};

// One row of the table of sizes. `vocabulary`, `context` and `batch` are 0 where the size has no say.
struct NamedSize {
  std::string_view name;
  std::string_view alias;  // another name that is accepted and rendered as `name`
  std::int64_t d_model, d_ff, layers, heads;
  std::int64_t vocabulary = 0, context = 0, batch = 0;
};

std::span<const NamedSize> named_sizes();
// By name or alias; nullptr for any other, "custom" among them.
const NamedSize* find_size(std::string_view name);
// The size that has exactly these four dimensions, or nullptr.
const NamedSize* size_with(std::int64_t d_model, std::int64_t d_ff, std::int64_t layers, std::int64_t heads);

// The size's dimensions, overridden by those that the case states. A dimension that neither gives is 0
// (validate refuses such a case).
Dimensions dimensions_of(const Case& configuration);

// 2·V·d + L(4d² + 3·d·d_ff + 2d) + d: embedding and head untied, no biases.
std::int64_t parameter_count(const Dimensions& dimensions);

}  // namespace bench::model
