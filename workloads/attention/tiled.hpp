#pragma once

#include "workloads/attention/attention.hpp"
#include "workloads/attention/tile.hpp"

namespace bench::attention {

Tile default_tile(c10::Device device);

// FlashAttention-2 (Dao 2023, algorithms 1 and 2) in tensor operations, all matrices of a batch at a time.
// Memory beyond inputs and outputs is that of a few tiles and, in the backward, fp32 gradients: O(S). Saved
// for the backward are query, key, value, output and log-sum-exp; the scores are computed again. Tiles that
// the mask hides are skipped.
Attention make_tiled(const Masking& masking);
Attention make_tiled(const Masking& masking, Tile tile);

// Of an output of tiled: what its backward kept.
std::vector<at::Tensor> saved_by_tiled(const at::Tensor& output);

}  // namespace bench::attention
