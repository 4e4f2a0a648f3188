#include "harness/core/remark.hpp"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Remark, ValuesStandInTheSentenceInTheirUnits) {
  const Remark outliers =
      remark(RemarkCode::outliers, {{"outliers", 1}, {"samples", 8}, {"slowest_ns", 89'800.0}});
  EXPECT_EQ(outliers.text, "1 of 8 samples lie outside Tukey's fences (kept): the slowest took 89.8 µs");
  EXPECT_EQ(outliers.values[2].second, Value{89'800.0});
  EXPECT_EQ(remark(RemarkCode::predicted_not_to_fit, {{"predicted_bytes", 3 << 20},
                                                      {"categories", std::string("it 3 MiB")},
                                                      {"room_bytes", 1 << 20},
                                                      {"smaller", std::string("--batch 1")}})
                .text,
            "predicted 3.00 MiB (it 3 MiB), and 1.00 MiB can be had; --batch 1 would fit");
}

TEST(Remark, WhatHasNoValueIsNotSaid) {
  EXPECT_EQ(remark(RemarkCode::no_mfu, {{"gpu", std::string("L4")}}).text,
            "no MFU: the peak of L4 is unknown here");
  EXPECT_EQ(
      remark(RemarkCode::no_mfu, {{"gpu", std::string("L4")}, {"arithmetic", std::string("bf16")}}).text,
      "no MFU: the peak of L4 in bf16 is unknown here");
}

TEST(Remark, CountsAgreeWithTheirWords) {
  const auto taken = [](int samples, int steps) {
    return remark(RemarkCode::steps_taken, {{"samples", samples}, {"steps_per_sample", steps}}).text;
  };
  EXPECT_EQ(taken(1, 1), "1 step done");
  EXPECT_EQ(taken(10, 1), "10 steps done");
  EXPECT_EQ(taken(1, 34), "1 sample of 34 steps done");
  EXPECT_EQ(remark(RemarkCode::gpu_shared, {{"processes", 2}}).text,
            "2 other processes used the GPU during the samples; `nvidia-smi` shows them");
}

TEST(Remark, TextsOfOthersArePassedAsTheyAre) {
  const std::string odd = "100% {odd} [text]";
  EXPECT_EQ(said(odd).text, odd);
  EXPECT_EQ(remark(RemarkCode::pass_failed, {{"gives", odd}, {"how", odd}}).text, "no " + odd + ": " + odd);
}

TEST(Remark, CodesRoundTripAndALaterBenchsCodeIsUnknown) {
  for (int i = 0; i <= static_cast<int>(RemarkCode::max_as_before); ++i) {
    const auto code = static_cast<RemarkCode>(i);
    EXPECT_EQ(remark_code_from_text(to_text(code)), code) << to_text(code);
  }
  EXPECT_FALSE(remark_code_from_text("written_by_a_later_bench"));
}

}  // namespace
}  // namespace bench
