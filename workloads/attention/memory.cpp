#include "workloads/attention/memory.hpp"

#include <algorithm>
#include <cstdint>

#include "workloads/attention/problem.hpp"
#include "workloads/attention/tile.hpp"
#include "workloads/attention/variants.hpp"

namespace bench::attention {
namespace {

// Bytes. `wide`: the same in fp32, as what sums up is kept.
struct Sizes {
  Sizes(const Problem& problem, const std::string& device) {
    const std::int64_t matrices = problem.matrices();
    const std::int64_t element = problem.dtype == Dtype::fp32 ? 4 : 2;
    halves = element == 2;
    query = matrices * problem.queries * problem.d_head * element;
    key = matrices * problem.keys * problem.d_head * element;
    wide_query = query * 4 / element;
    wide_key = key * 4 / element;
    scores = matrices * problem.queries * problem.keys * element;
    wide_scores = scores * 4 / element;
    mask = problem.causal == Causal::no ? 0 : problem.queries * problem.keys;
    log_sum_exp = matrices * problem.queries * 4;
    const bool cpu = device == "cpu";
    one_more = cpu ? 0 : 1;
    const Tile largest = cpu ? kCpuTile : kGpuTile;
    const std::int64_t rows = std::min(largest.queries, problem.queries);
    tile_pairs = matrices * rows * std::min(largest.keys, problem.keys);
    tile_output = matrices * rows * problem.d_head * 4;
  }
  bool halves = false;
  std::int64_t query = 0;  // or O, dO, dQ
  std::int64_t key = 0;    // or V, dK, dV
  std::int64_t wide_query = 0, wide_key = 0;
  std::int64_t scores = 0, wide_scores = 0, mask = 0, log_sum_exp = 0;
  std::int64_t tile_pairs = 0;   // of all matrices' tiles, which are computed at once
  std::int64_t tile_output = 0;  // of their queries
  std::int64_t one_more = 0;     // matrix of scores: on an H200 autograd held one more than on a CPU
};

// The most that is held at once beyond inputs, dO and O.
std::int64_t naive(const Sizes& s, bool backward) {
  // Scores and scaled scores; backward, the probabilities kept, their gradient, that of the scores, and it
  // masked.
  return s.mask + (backward ? (3 + s.one_more) * s.scores + s.key : 2 * s.scores);
}

// It computes in fp32 whatever the inputs' dtype, on copies of them.
std::int64_t sdpa_math(const Sizes& s, bool backward) {
  const std::int64_t copies = s.halves ? s.wide_query + 2 * s.wide_key : 0;
  if (!backward) return (2 + s.one_more) * s.wide_scores + s.mask + copies + (s.halves ? s.wide_query : 0);
  const std::int64_t scaled = s.halves ? 0 : s.query + s.key;
  return (3 + s.one_more) * s.wide_scores + copies + scaled + s.wide_key;
}

// Gradients, and the sums of dQ in fp32.
std::int64_t fused(const Sizes& s, bool backward) {
  return s.log_sum_exp + (backward ? s.query + 2 * s.key + s.wide_query : 0);
}

std::int64_t tiled(const Sizes& s, bool backward) {
  const std::int64_t rounded = s.halves ? 2 * s.tile_pairs : 0;  // probabilities in the inputs' dtype
  if (!backward) return s.log_sum_exp + 4 * s.tile_pairs + rounded + 2 * s.tile_output;
  const std::int64_t sums = s.wide_query + 2 * s.wide_key;
  const std::int64_t gradients = s.halves ? s.query + 2 * s.key : 0;  // rounded once all tiles are done
  return s.log_sum_exp + sums + std::max(8 * s.tile_pairs + rounded, gradients);
}

std::int64_t working_bytes(const std::string& implementation, const Sizes& sizes, bool backward) {
  if (implementation == "naive") return naive(sizes, backward);
  if (implementation == "tiled") return tiled(sizes, backward);
  if (implementation == "sdpa-math") return sdpa_math(sizes, backward);
  return fused(sizes, backward);
}

}  // namespace

std::optional<registry::MemoryPrediction> predict_memory(const Case& configuration,
                                                         const std::string& device) {
  const Problem problem = problem_of(configuration);
  if (problem.implementation == kTorchCompile.name) return std::nullopt;
  const Sizes sizes(problem, device);
  const bool backward = problem.mode != Mode::forward;
  return registry::MemoryPrediction{{{"inputs", sizes.query + 2 * sizes.key + (backward ? sizes.query : 0)},
                                     {"output", sizes.query},
                                     {"working", working_bytes(problem.implementation, sizes, backward)}}};
}

}  // namespace bench::attention
