#include "workloads/attention/memory.hpp"

#include <algorithm>
#include <cstdint>

#include "workloads/attention/problem.hpp"
#include "workloads/attention/tile.hpp"
#include "workloads/attention/variants.hpp"

namespace bench::attention {
namespace {

constexpr double kMostBytes = 1e18;  // what a prediction says of everything larger

// Bytes. `wide`: the same in fp32, as what sums up is kept. Doubles: the largest cases are beyond 64 bits.
struct Sizes {
  Sizes(const Problem& problem, const std::string& device)
      : on_cpu(device == "cpu"),
        halves(problem.dtype != Dtype::fp32),
        several_heads(problem.heads > 1),
        causal(problem.causal == Causal::yes),
        masked_by_pairs(problem.causal == Causal::bottom_right),
        blind(masked_by_pairs && problem.queries > problem.keys) {
    const double element = halves ? 2 : 4;
    const double matrices = double(problem.batch) * double(std::max<std::int64_t>(1, problem.heads));
    const double queries = double(problem.queries);
    pairs = queries * double(problem.keys);
    query = matrices * queries * double(problem.d_head) * element;
    key = matrices * double(problem.keys) * double(problem.d_head) * element;
    wide_query = query * 4 / element;
    wide_key = key * 4 / element;
    scores = matrices * pairs * element;
    wide_scores = matrices * pairs * 4;
    log_sum_exp = matrices * queries * 4;
    const Tile largest = on_cpu ? kCpuTile : kGpuTile;
    const double rows = double(std::min(largest.queries, problem.queries));
    tile_pairs = matrices * rows * double(std::min(largest.keys, problem.keys));
    tile_output = matrices * rows * double(problem.d_head) * 4;
  }
  bool on_cpu, halves, several_heads;
  bool causal;           // by index, which needs no mask of pairs
  bool masked_by_pairs;  // bottom-right
  bool blind;            // some queries see no key
  double pairs = 0;      // of one matrix, the bytes of a mask of bool
  double query = 0;      // or O, dO, dQ
  double key = 0;        // or V, dK, dV
  double wide_query = 0, wide_key = 0;
  double scores = 0, wide_scores = 0, log_sum_exp = 0;
  double tile_pairs = 0;   // of all matrices' tiles, which are computed at once
  double tile_output = 0;  // of their queries
};

// The most that is held at once beyond inputs, dO and O. What differs between a CPU and an H200 was measured.

double naive(const Sizes& s, bool backward) {
  const double mask = s.causal || s.masked_by_pairs ? s.pairs : 0;
  const double visible_alone = s.blind ? s.scores : 0;  // probabilities without those of the blind
  // Scores and scaled scores; backward, the probabilities kept, their gradient, that of the scores, and it
  // masked.
  if (!backward) return mask + 2 * s.scores + visible_alone;
  return mask + (s.on_cpu ? 3 : 4) * s.scores + s.key + visible_alone;
}

// It computes in fp32 whatever the inputs' dtype, on copies of them.
double sdpa_math(const Sizes& s, bool backward) {
  const double copies = s.halves ? s.wide_query + 2 * s.wide_key : 0;
  if (backward) {
    const double scaled = s.halves ? 0 : s.query + s.key;
    return (s.on_cpu ? 3 : 4) * s.wide_scores + copies + scaled + s.wide_key;
  }
  const double output = s.halves ? s.wide_query : 0;
  if (s.on_cpu) return 2 * s.wide_scores + (s.causal ? s.pairs : 0) + copies + output;
  // A bool for each score: whether all of a row is hidden.
  return 2.25 * s.wide_scores + (s.causal ? 4 * s.pairs : 0) + copies + output;
}

// Gradients, the sums of dQ in fp32, and copies where the heads' layout is not the kernel's own.
double fused(const std::string& implementation, const Sizes& s, bool backward) {
  if (!backward) return s.log_sum_exp;
  const bool flash = implementation == "sdpa-flash" || (implementation == "sdpa" && s.halves);
  double copies = 0;
  if (!s.on_cpu && s.several_heads && implementation != "sdpa-cudnn") copies = (flash ? 2 : 1) * s.query;
  return s.log_sum_exp + s.query + 2 * s.key + s.wide_query + copies;
}

double tiled(const Sizes& s, bool backward) {
  const double rounded = s.halves ? 2 * s.tile_pairs : 0;  // probabilities in the inputs' dtype
  if (!backward) return s.log_sum_exp + 4 * s.tile_pairs + rounded + 2 * s.tile_output;
  const double sums = s.wide_query + 2 * s.wide_key;
  const double gradients = s.halves ? s.query + 2 * s.key : 0;  // rounded once all tiles are done
  return s.log_sum_exp + sums + std::max(8 * s.tile_pairs + rounded, gradients);
}

double working_bytes(const std::string& implementation, const Sizes& sizes, bool backward) {
  if (implementation == "naive") return naive(sizes, backward);
  if (implementation == "tiled") return tiled(sizes, backward);
  // A mask of bool, and what it adds to the scores, in their dtype.
  const double mask = sizes.masked_by_pairs ? sizes.pairs * (sizes.halves ? 3 : 5) : 0;
  if (implementation == "sdpa-math") return mask + sdpa_math(sizes, backward);
  return mask + fused(implementation, sizes, backward);
}

std::int64_t whole(double bytes) {
  return static_cast<std::int64_t>(std::min(bytes, kMostBytes));
}

}  // namespace

std::optional<registry::MemoryPrediction> predict_memory(const Case& configuration,
                                                         const std::string& device) {
  const Problem problem = problem_of(configuration);
  if (problem.implementation == kTorchCompile.name) return std::nullopt;
  const Sizes sizes(problem, device);
  const bool backward = problem.mode != Mode::forward;
  return registry::MemoryPrediction{
      {{"inputs", whole(sizes.query + 2 * sizes.key + (backward ? sizes.query : 0))},
       {"output", whole(sizes.query)},
       {"working", whole(working_bytes(problem.implementation, sizes, backward))}}};
}

}  // namespace bench::attention
