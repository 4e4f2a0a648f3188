#include "workloads/attention/problem.hpp"

#include <algorithm>

#include "harness/registry/parameters.hpp"

namespace bench::attention {
std::string_view to_text(Causal causal) {
  return name_of(kCausals, causal);
}
std::string_view to_text(Dtype dtype) {
  return name_of(kDtypes, dtype);
}
std::string_view to_text(Mode mode) {
  return name_of(kModes, mode);
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
  problem.causal = registry::chosen(configuration, "causal", kCausals);
  problem.dtype = registry::chosen(configuration, "dtype", kDtypes);
  problem.implementation = configuration.text("implementation");
  problem.mode = registry::chosen(configuration, "mode", kModes);
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
