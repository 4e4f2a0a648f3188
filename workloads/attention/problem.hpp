#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/core/names.hpp"

namespace bench::attention {

enum class Causal {
  no,
  yes,           // key <= query by index, as in PyTorch (top-left)
  bottom_right,  // key - keys <= query - queries: the last query sees all keys
};
enum class Dtype { fp32, bf16, fp16 };
enum class Mode {
  forward,           // inference: no_grad
  backward,          // of one forward, again and again
  forward_backward,  // one after the other, each a phase
};

// What --causal, --dtype and --mode accept, in their order.
inline constexpr Names<Causal, 3> kCausals{
    {{Causal::no, "no"}, {Causal::yes, "yes"}, {Causal::bottom_right, "bottom-right"}}};
inline constexpr Names<Dtype, 3> kDtypes{
    {{Dtype::fp32, "fp32"}, {Dtype::bf16, "bf16"}, {Dtype::fp16, "fp16"}}};
inline constexpr Names<Mode, 3> kModes{{
    {Mode::forward, "forward"},
    {Mode::backward, "backward"},
    {Mode::forward_backward, "forward-backward"},
}};

std::string_view to_text(Causal causal);
std::string_view to_text(Dtype dtype);
std::string_view to_text(Mode mode);

// A case in types. query: (B, H, Sq, D); key, value: (B, H, Sk, D); without heads (B, S, D).
struct Problem {
  std::int64_t batch = 1;
  std::int64_t heads = 0;  // 0: no such axis
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  std::int64_t d_head = 64;
  Causal causal = Causal::no;
  Dtype dtype = Dtype::fp32;
  std::string implementation = "naive";
  Mode mode = Mode::forward_backward;

  std::int64_t matrices() const { return batch * (heads == 0 ? 1 : heads); }  // of scores, (Sq, Sk) each
  // A query sees the keys up to its own index plus this; nullopt: all of them.
  std::optional<std::int64_t> diagonal() const;
  std::vector<std::int64_t> shape(std::int64_t length) const;  // (B, H, length, D) or (B, length, D)
};

// Throws Error(internal) for a value that no parameter offers: the command line has refused it before.
Problem problem_of(const Case& configuration);

// (query, key) pairs that the mask lets through, of all matrices. By area, as is usual: a square causal one
// counts S²/2, not S(S+1)/2.
double counted_pairs(const Problem& problem);

// All scores in fp32: B·H·Sq·Sk·4.
double score_matrix_bytes(const Problem& problem);

}  // namespace bench::attention
