#include "harness/machine/peaks.hpp"

#include <algorithm>
#include <iterator>

namespace bench::machine {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9;

// Datasheets print tensor-core figures with 2:4 sparsity, twice the dense ones: their halves stand here.
constexpr std::string_view kA100 = "NVIDIA A100 Tensor Core GPU datasheet (2021)";
constexpr std::string_view kGa102 = "NVIDIA Ampere GA102 GPU Architecture whitepaper v2, appendix A";
constexpr std::string_view kAda = "NVIDIA Ada GPU Architecture whitepaper v1.1, appendix A";
constexpr std::string_view kH100 = "NVIDIA H100 Tensor Core GPU datasheet (2023), tensor figures halved";
constexpr std::string_view kH100Pcie =
    "NVIDIA H100 Tensor Core GPU Architecture whitepaper, table of PCIe and SXM5";
constexpr std::string_view kH200 = "NVIDIA H200 Tensor Core GPU datasheet (2024), tensor figures halved";
constexpr std::string_view kB200 =
    "NVIDIA Blackwell datasheet (2025), one GPU of HGX B200, tensor figures halved";

constexpr Peaks row(std::string_view name, double fp64, double fp32, double tf32, double bf16, double fp16,
                    double gigabytes_per_s, std::string_view source) {
  return {
      name,  fp64 * kTera, fp32 * kTera, tf32 * kTera, bf16 * kTera, fp16 * kTera, gigabytes_per_s * kGiga,
      source};
}

// clang-format off
constexpr Peaks kPeaks[] = {
    // name                            fp64   fp32   tf32   bf16   fp16   GB/s
    row("NVIDIA A100-SXM4-40GB",       9.7,   19.5,  156,   312,   312,   1555, kA100),
    row("NVIDIA A100-SXM4-80GB",       9.7,   19.5,  156,   312,   312,   2039, kA100),
    row("NVIDIA A100-PCIE-40GB",       9.7,   19.5,  156,   312,   312,   1555, kA100),
    row("NVIDIA A100 80GB PCIe",       9.7,   19.5,  156,   312,   312,   1935, kA100),
    // GeForce: sums in fp32 at half the rate of sums in fp16; LibTorch's matmuls sum in fp32.
    row("NVIDIA GeForce RTX 3090",     0.556, 35.6,  35.6,  71.2,  71.2,  936,  kGa102),
    row("NVIDIA GeForce RTX 4090",     1.29,  82.6,  82.6,  165.2, 165.2, 1008, kAda),
    row("NVIDIA H100 80GB HBM3",       34,    67,    494.5, 989.5, 989.5, 3350, kH100),
    row("NVIDIA H100 PCIe",            25.6,  51.2,  378,   756,   756,   2000, kH100Pcie),
    row("NVIDIA H200",                 34,    67,    494.5, 989.5, 989.5, 4800, kH200),
    row("NVIDIA B200",                 37,    75,    1100,  2250,  2250,  7700, kB200),
};
// clang-format on

}  // namespace

const Peaks* find_peaks(std::string_view nvml_name) {
  const auto found = std::ranges::find(kPeaks, nvml_name, &Peaks::nvml_name);
  return found == std::end(kPeaks) ? nullptr : &*found;
}

std::optional<double> peak_flop_per_s(const Peaks& peaks, std::string_view arithmetic) {
  double peak = 0;
  if (arithmetic == "fp64") peak = peaks.fp64;
  if (arithmetic == "fp32") peak = peaks.fp32;
  if (arithmetic == "tf32") peak = peaks.tf32;
  if (arithmetic == "tf32x3") peak = peaks.tf32 / 3;
  if (arithmetic == "bf16") peak = peaks.bf16;
  if (arithmetic == "fp16") peak = peaks.fp16;
  return peak > 0 ? std::optional(peak) : std::nullopt;
}

}  // namespace bench::machine
