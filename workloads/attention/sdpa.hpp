#pragma once

#include <c10/util/Exception.h>

#include <functional>
#include <string>
#include <vector>

#include "workloads/attention/attention.hpp"

namespace bench::attention {

enum class Backend { any, math, efficient, flash, cudnn };

// LibTorch's scaled_dot_product_attention with this backend alone enabled (any: as PyTorch chooses), so that
// there is nothing to fall back to: what the backend does not take throws worker::Unsupported with LibTorch's
// own reasons. Inputs without a head axis get one of length 1, which only math could do without.
template <Backend backend>
Attention make_sdpa(const Masking& masking);

// Throws worker::Unsupported for an error by which a backend says that it does not do this; returns for any
// other. For backwards: what cannot be differentiated shows only there (cuDNN finds no plan).
void throw_if_refusal(const c10::Error& error);

// The operators of attention that `work` runs, in order, once each: aten::_flash_attention_forward. Those of
// a backward too, on whichever thread it runs.
std::vector<std::string> attention_operators(const std::function<void()>& work);

}  // namespace bench::attention
