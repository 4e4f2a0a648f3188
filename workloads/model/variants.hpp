#pragma once

#include <array>
#include <string_view>

// The names that --optimizer accepts. Torch-free, so that `bench` can list them; optimizer.cpp binds a function to
// each name and does not compile when one is missing. Those of --attention: workloads/attention/variants.hpp.
namespace bench::model {

struct Variant {
  std::string_view name;
  std::string_view summary;
};

inline constexpr std::array kOptimizerVariants{
    Variant{"adamw",
            "torch.optim.AdamW's own default: foreach on CUDA, on the CPU a loop over the parameters"},
    Variant{"adamw-fused", "one call of LibTorch's _fused_adamw_"},
};

}  // namespace bench::model
