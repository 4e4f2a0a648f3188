#pragma once

#include <array>
#include <string_view>

// The names that --implementation and --optimizer accept. Torch-free, so that `bench` can list them;
// optimizer.cpp binds a function to each name and does not compile when one is missing. Those of --attention:
// workloads/attention/variants.hpp.
namespace bench::model {

struct Variant {
  std::string_view name;
  std::string_view summary;
};

// `program` runs it: "" is the native worker, "torch" workloads/peers/torch_worker.py.
struct Implementation {
  std::string_view name;
  std::string_view summary;
  std::string_view program;
};

inline constexpr std::array kImplementations{
    Implementation{"eager", "C++, one LibTorch operator after another", ""},
    Implementation{"torch-eager", "the same in Python PyTorch", "torch"},
    Implementation{"torch-compile", "Python's torch.compile of it", "torch"},
};

// What torch_model.py has of the lists below.
inline constexpr std::array<std::string_view, 2> kPeerAttention{"naive", "sdpa"};
inline constexpr std::array<std::string_view, 2> kPeerOptimizers{"adamw", "adamw-fused"};
inline constexpr std::array<std::string_view, 1> kPeerLosses{"naive"};

inline constexpr std::array kOptimizerVariants{
    Variant{"adamw",
            "torch.optim.AdamW's own default: foreach on CUDA, on the CPU a loop over the parameters"},
    Variant{"adamw-fused", "one call of LibTorch's _fused_adamw_"},
};

}  // namespace bench::model
