#include "workloads/attention/memory.hpp"

#include <gtest/gtest.h>

#include "workloads/attention/case_rules.hpp"
#include "workloads/attention/problem.hpp"

// What the formula says; memory_test.cpp holds it against peaks on this CPU.
namespace bench::attention {
namespace {

Case one_matrix(const char* implementation, const char* mode, const char* dtype, std::int64_t length,
                std::int64_t d_head) {
  Case one{.workload = "attention",
           .values = {{"batch", std::int64_t{1}},
                      {"d-head", d_head},
                      {"sequence", length},
                      {"causal", "yes"},
                      {"dtype", dtype},
                      {"implementation", implementation},
                      {"mode", mode}}};
  canonicalize(one, {});
  return one;
}

// Peaks that LibTorch's allocator counted on one H200 (preset flash), in MiB, less cuBLAS's workspaces: 32
// MiB for each thread that multiplies, the main one in the forward and autograd's in the backward.
TEST(AttentionMemoryFormula, AgreesWithThePeaksOfAnH200) {
  struct Measured {
    const char *implementation, *mode, *dtype;
    std::int64_t length, d_head;
    double peak_mib;
  };
  for (const Measured& measured : {
           Measured{"naive", "forward", "bf16", 8192, 64, 356 - 32},
           Measured{"naive", "forward", "fp32", 8192, 128, 624 - 32},
           Measured{"naive", "backward", "bf16", 4096, 128, 182 - 32},
           Measured{"naive", "forward-backward", "bf16", 8192, 64, 646 - 64},
           Measured{"naive", "forward-backward", "fp32", 4096, 128, 348 - 64},
           Measured{"sdpa-math", "forward", "bf16", 8192, 64, 875 - 32},
           Measured{"sdpa-math", "forward", "fp32", 4096, 128, 248 - 32},
           Measured{"sdpa-math", "backward", "bf16", 8192, 128, 1082 - 32},
           Measured{"sdpa-math", "forward-backward", "bf16", 4096, 64, 325.5 - 64},
           Measured{"sdpa-math", "forward-backward", "fp32", 8192, 64, 1104 - 64},
           Measured{"sdpa-efficient", "forward", "fp32", 8192, 64, 8},
           Measured{"sdpa-efficient", "forward-backward", "fp32", 8192, 128, 36.1},
           Measured{"sdpa-efficient", "backward", "bf16", 4096, 64, 5.0},
           Measured{"sdpa-flash", "forward-backward", "bf16", 8192, 128, 20.1},
           Measured{"sdpa-cudnn", "forward", "bf16", 8192, 128, 8},
           Measured{"sdpa-cudnn", "forward-backward", "bf16", 8192, 64, 10.1},
           Measured{"tiled", "forward", "bf16", 8192, 128, 46.8 - 32},
           Measured{"tiled", "forward", "fp32", 8192, 128, 54.5 - 32},
           Measured{"tiled", "forward-backward", "bf16", 8192, 64, 85.1 - 64},
           Measured{"tiled", "forward-backward", "fp32", 8192, 128, 104.6 - 64},
       }) {
    const Case configuration =
        one_matrix(measured.implementation, measured.mode, measured.dtype, measured.length, measured.d_head);
    const auto prediction = predict_memory(configuration, "cuda:0");
    ASSERT_TRUE(prediction);
    EXPECT_NEAR(double(prediction->peak_bytes()) / (1 << 20) / measured.peak_mib, 1, 0.15)
        << configuration.id();
  }
}

// The same of preset paper: 32 heads of 64 and one sequence of 16,384, in bf16.
TEST(AttentionMemoryFormula, AgreesWithThePeaksOfManyHeads) {
  struct Measured {
    const char *implementation, *mode, *causal;
    double peak_mib;
  };
  for (const Measured& measured : {
           Measured{"naive", "forward", "no", 33'056 - 32},
           Measured{"naive", "backward", "no", 65'952 - 32},
           Measured{"naive", "forward", "yes", 33'312 - 32},
           Measured{"naive", "backward", "yes", 66'208 - 32},
           Measured{"tiled", "forward", "no", 494 - 32},
           Measured{"tiled", "backward", "yes", 1062 - 32},
           Measured{"sdpa-math", "forward", "no", 74'465 - 32},
           Measured{"sdpa-math", "backward", "no", 131'936 - 32},
           Measured{"sdpa-math", "forward", "yes", 75'489 - 32},
           Measured{"sdpa-math", "backward", "yes", 131'936 - 32},
           Measured{"sdpa-efficient", "forward", "no", 256},
           Measured{"sdpa-efficient", "backward", "no", 708},
           Measured{"sdpa-flash", "forward", "yes", 258},
           Measured{"sdpa-flash", "backward", "yes", 772},
           Measured{"sdpa-cudnn", "forward", "no", 256},
           Measured{"sdpa-cudnn", "backward", "yes", 644},
       }) {
    Case one{.workload = "attention",
             .values = {{"batch", std::int64_t{1}},
                        {"heads", std::int64_t{32}},
                        {"d-head", std::int64_t{64}},
                        {"sequence", std::int64_t{16'384}},
                        {"causal", measured.causal},
                        {"dtype", "bf16"},
                        {"implementation", measured.implementation},
                        {"mode", measured.mode}}};
    canonicalize(one, {});
    EXPECT_NEAR(double(predict_memory(one, "cuda:0")->peak_bytes()) / (1 << 20) / measured.peak_mib, 1, 0.03)
        << one.id();
  }
}

TEST(AttentionMemoryFormula, GrowsWithEveryParameterUpToTheLargestThatCanBeAskedFor) {
  for (const char* implementation : {"naive", "tiled", "sdpa", "sdpa-math", "sdpa-flash"})
    for (const char* mode : {"forward", "backward"})
      for (const char* device : {"cpu", "cuda:0"}) {
        const auto peak = [&](std::int64_t batch, std::int64_t heads, std::int64_t length) {
          Case one{.workload = "attention",
                   .values = {{"batch", batch},
                              {"heads", heads},
                              {"d-head", std::int64_t{256}},
                              {"sequence", length},
                              {"causal", "yes"},
                              {"dtype", "fp32"},
                              {"implementation", implementation},
                              {"mode", mode}}};
          canonicalize(one, {});
          return predict_memory(one, device)->peak_bytes();
        };
        std::int64_t smaller = 0;
        for (std::int64_t size = 1; size <= 65'536; size *= 2) {
          const std::int64_t now = peak(16 * size, size, 16 * size);
          EXPECT_GE(now, smaller) << implementation << " " << mode << " " << device << " " << size;
          EXPECT_GT(now, 0);
          smaller = now;
        }
      }
}

TEST(AttentionMemoryFormula, WhatCompilersKeepIsNotPredicted) {
  EXPECT_FALSE(predict_memory(one_matrix("torch-compile", "forward", "bf16", 1024, 64), "cuda:0"));
}

TEST(AttentionMemoryFormula, OnlyMaterialisedScoresGrowWithTheSquare) {
  const auto growth = [](const char* implementation) {
    const auto at_length = [&](std::int64_t length) {
      return double(
          predict_memory(one_matrix(implementation, "forward", "bf16", length, 64), "cuda:0")->peak_bytes());
    };
    return at_length(65536) / at_length(32768);
  };
  EXPECT_NEAR(growth("naive"), 4, 0.05);
  EXPECT_NEAR(growth("sdpa-math"), 4, 0.05);
  EXPECT_LT(growth("tiled"), 2.01);
  EXPECT_LT(growth("sdpa-flash"), 2.01);
}

}  // namespace
}  // namespace bench::attention
