#pragma once

#include <optional>
#include <string_view>

namespace bench::machine {

// What a GPU's maker says it can do at most: dense (no structured sparsity), sums in fp32 where tensor cores
// leave the choice, at the boost clock of the datasheet. 0: none is stated.
struct Peaks {
  std::string_view nvml_name;  // as the driver names it, whole
  // FLOP/s. fp64 and fp32: IEEE, without tensor cores.
  double fp64, fp32, tf32, bf16, fp16;
  double memory_bytes_per_s;
  std::string_view source;
};

// nullptr: unknown. Only whole names count: an RTX 3090 Ti is no RTX 3090.
const Peaks* find_peaks(std::string_view nvml_name);

// "fp64", "fp32", "tf32", "tf32x3" (three tf32 products for one: a third of it), "bf16", "fp16"; nullopt for
// another word, and where the source states none.
std::optional<double> peak_flop_per_s(const Peaks& peaks, std::string_view arithmetic);

}  // namespace bench::machine
