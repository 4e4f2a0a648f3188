#include "workloads/attention/problem.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace bench::attention {
namespace {

template <typename Choice, std::size_t Count>
Choice choice_of(const Case& configuration, std::string_view parameter,
                 const std::array<Choice, Count>& choices) {
  for (const Choice choice : choices)
    if (to_text(choice) == configuration.text(parameter)) return choice;
  throw Error(ErrorKind::internal,
              fmt::format("attention knows no {} {}", parameter, configuration.text(parameter)));
}

}  // namespace

std::string_view to_text(Causal causal) {
  switch (causal) {
    case Causal::no:
      return "no";
    case Causal::yes:
      return "yes";
    case Causal::bottom_right:
      return "bottom-right";
  }
  return "?";
}

std::string_view to_text(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp32:
      return "fp32";
    case Dtype::bf16:
      return "bf16";
    case Dtype::fp16:
      return "fp16";
  }
  return "?";
}

std::string_view to_text(Mode mode) {
  switch (mode) {
    case Mode::forward:
      return "forward";
    case Mode::backward:
      return "backward";
    case Mode::forward_backward:
      return "forward-backward";
  }
  return "?";
}

std::optional<std::int64_t> Problem::diagonal() const {
  switch (causal) {
    case Causal::no:
      return std::nullopt;
    case Causal::yes:
      return 0;
    case Causal::bottom_right:
      return keys - queries;
  }
  return std::nullopt;
}

std::vector<std::int64_t> Problem::shape(std::int64_t length) const {
  if (heads == 0) return {batch, length, d_head};
  return {batch, heads, length, d_head};
}

Problem problem_of(const Case& configuration) {
  Problem problem;
  problem.batch = configuration.integer("batch");
  problem.heads = configuration.has("heads") ? configuration.integer("heads") : 0;
  problem.queries = configuration.integer("sequence");
  problem.keys = configuration.has("keys") ? configuration.integer("keys") : problem.queries;
  problem.d_head = configuration.integer("d-head");
  problem.causal =
      choice_of(configuration, "causal", std::array{Causal::no, Causal::yes, Causal::bottom_right});
  problem.dtype = choice_of(configuration, "dtype", std::array{Dtype::fp32, Dtype::bf16, Dtype::fp16});
  problem.implementation = configuration.text("implementation");
  problem.mode =
      choice_of(configuration, "mode", std::array{Mode::forward, Mode::backward, Mode::forward_backward});
  return problem;
}

double counted_pairs(const Problem& problem) {
  const double queries = double(problem.queries), keys = double(problem.keys);
  double pairs = queries * keys;
  if (const auto diagonal = problem.diagonal()) {
    // Under the line key = query + diagonal: a triangle from where it enters, and a rectangle from where it
    // has left the matrix at its last key.
    const double enters = std::max(0.0, -double(*diagonal));  // the first query that sees a key
    const double first = std::max(0.0, double(*diagonal));    // keys that it sees
    const double slope = std::min(queries - enters, keys - first);
    pairs = slope * (first + slope / 2) + (queries - enters - slope) * keys;
  }
  return double(problem.matrices()) * pairs;
}

double score_matrix_bytes(const Problem& problem) {
  return 4.0 * double(problem.matrices()) * double(problem.queries) * double(problem.keys);
}

}  // namespace bench::attention
