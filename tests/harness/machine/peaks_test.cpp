#include "harness/machine/peaks.hpp"

#include <gtest/gtest.h>

namespace bench::machine {
namespace {

TEST(Peaks, OfAnH200AreTheDatasheetsDenseOnes) {
  const Peaks* const h200 = find_peaks("NVIDIA H200");
  ASSERT_NE(h200, nullptr);
  EXPECT_DOUBLE_EQ(*peak_flop_per_s(*h200, "fp32"), 67e12);
  EXPECT_DOUBLE_EQ(*peak_flop_per_s(*h200, "tf32"), 494.5e12);
  EXPECT_DOUBLE_EQ(*peak_flop_per_s(*h200, "tf32x3"), 494.5e12 / 3);
  EXPECT_DOUBLE_EQ(*peak_flop_per_s(*h200, "bf16"), 989.5e12);
  EXPECT_DOUBLE_EQ(h200->memory_bytes_per_s, 4.8e12);
  EXPECT_FALSE(peak_flop_per_s(*h200, "int3"));
}

TEST(Peaks, EveryRowHasItsSourceAndNoSmallerPeakForFewerBits) {
  for (const char* name : {"NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB", "NVIDIA A100-PCIE-40GB",
                           "NVIDIA A100 80GB PCIe", "NVIDIA GeForce RTX 3090", "NVIDIA GeForce RTX 4090",
                           "NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe", "NVIDIA H200", "NVIDIA B200"}) {
    const Peaks* const peaks = find_peaks(name);
    ASSERT_NE(peaks, nullptr) << name;
    EXPECT_FALSE(peaks->source.empty()) << name;
    EXPECT_LT(peaks->fp64, peaks->fp32) << name;
    EXPECT_LE(peaks->fp32, peaks->tf32) << name;
    EXPECT_LT(peaks->tf32, peaks->bf16) << name;
    EXPECT_GT(peaks->memory_bytes_per_s, 0.9e12) << name;
  }
}

TEST(Peaks, AnotherNameIsUnknown) {
  EXPECT_EQ(find_peaks("NVIDIA GeForce RTX 3090 Ti"), nullptr);
  EXPECT_EQ(find_peaks("NVIDIA H200 NVL"), nullptr);
  EXPECT_EQ(find_peaks(""), nullptr);
}

}  // namespace
}  // namespace bench::machine
