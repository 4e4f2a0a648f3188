#pragma once

#include <array>
#include <string_view>

// The names that --attention and --optimizer accept. Torch-free, so that `bench` can list them; attention.cpp
// and optimizer.cpp bind a function to each name and do not compile when one is missing.
namespace bench::model {

struct Variant {
  std::string_view name;
  std::string_view summary;
};

inline constexpr std::array kAttentionVariants{
    Variant{"naive", "softmax(QKᵀ/√d)V with the scores materialised"},
    Variant{"sdpa", "LibTorch's scaled_dot_product_attention, its own choice of backend"},
};

inline constexpr std::array kOptimizerVariants{
    Variant{"adamw",
            "torch.optim.AdamW's own default: foreach on CUDA, on the CPU a loop over the parameters"},
    Variant{"adamw-fused", "one call of LibTorch's _fused_adamw_"},
};

}  // namespace bench::model
