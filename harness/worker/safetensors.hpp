#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace bench::worker {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Writes tensors as a safetensors file (https://github.com/huggingface/safetensors#format): the header's
// length as 8 bytes little-endian, a JSON header padded with spaces to a multiple of 8, then the raw data in
// the order given. Replaces the file. Names are printable ASCII without quotes or backslashes. Takes float,
// double, bfloat16, half and int64; copies one tensor at a time to the CPU. Throws Error(io) when the file
// cannot be written.
void write_safetensors(const std::string& path, const NamedTensors& tensors);

}  // namespace bench::worker
