#pragma once

#include <array>
#include <string_view>

// The names that --implementation here and --attention of workload model accept. Torch-free, so that `bench`
// can list them; attention.cpp binds a function to each name and does not compile when one is missing.
namespace bench::attention {

struct Variant {
  std::string_view name;
  std::string_view summary;
  bool cuda_only = false;            // LibTorch has no such kernel for the CPU
  bool returns_log_sum_exp = false;  // beside the output
};

inline constexpr std::array kVariants{
    Variant{"naive", "softmax(QKᵀ/√d)V with the scores materialised"},
    Variant{"tiled", "FlashAttention-2 in tensor operations, backward by recomputation", false, true},
    Variant{"sdpa", "LibTorch's scaled_dot_product_attention, its own choice of backend"},
    Variant{"sdpa-math", "the same, its unfused operators"},
    Variant{"sdpa-efficient", "the same, its memory-efficient kernels", true},
    Variant{"sdpa-flash", "the same, its FlashAttention-2 kernels (on the CPU its own)"},
    Variant{"sdpa-cudnn", "the same, cuDNN's kernels", true},
};

// Of this workload only, run by workloads/peers/torch_worker.py: Python's torch.compile of naive.
inline constexpr Variant kTorchCompile{"torch-compile", "Python's torch.compile of naive"};

}  // namespace bench::attention
