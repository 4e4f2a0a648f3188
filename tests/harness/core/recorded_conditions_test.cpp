#include "harness/core/recorded_conditions.hpp"

#include <gtest/gtest.h>

#include <map>

namespace bench {
namespace {

using Texts = std::vector<std::string>;

Document on(const std::string& device) {
  Document document;
  document.run.device = device;
  document.run.build_ids = {{"bench", "aaaa"}};
  document.environment.cpu_model = "Example CPU";
  document.environment.gpus = {{.cuda_index = 0, .name = "NVIDIA H200", .power_limit_w = 700.0}};
  return document;
}

Texts refused(const Document& before, const Document& after) {
  Texts names;
  for (const ConditionDifference& difference : differing_conditions(before, after))
    if (difference.compared() == Judgement::refused) names.push_back(difference.what);
  return names;
}

TEST(RecordedConditions, WhateverCanChangeATimeIsRefusedWhenItDiffers) {
  const Document before = on("cpu");
  for (const char* const name :
       {"MKL_CBWR", "MKL_DOMAIN_NUM_THREADS", "DNNL_MAX_CPU_ISA", "ONEDNN_DEFAULT_FPMATH_MODE", "OMP_NESTED",
        "OMP_THREAD_LIMIT", "GOMP_CPU_AFFINITY", "ATEN_CPU_CAPABILITY", "MALLOC_ARENA_MAX", "LD_PRELOAD"}) {
    Document after = before;
    after.environment.variables[name] = "1";
    EXPECT_EQ(refused(before, after), Texts{name});
    EXPECT_EQ(differing_conditions(before, after).at(0).resumed(), Judgement::refused) << name;
  }
  for (const auto& [name, what] :
       std::map<std::string, std::string>{{"governor", "the CPU governor"},
                                          {"turbo", "turbo"},
                                          {"smt", "SMT"},
                                          {"transparent_hugepages", "the state of transparent huge pages"}}) {
    Document one = before, other = before;
    one.environment.facts[name] = "on";
    other.environment.facts[name] = "off";
    EXPECT_EQ(refused(one, other), Texts{what});
    EXPECT_EQ(refused(before, other), Texts{}) << "unknown in one of them, which is noted";
    EXPECT_EQ(differing_conditions(before, other).at(0).compared(), Judgement::noted);
    EXPECT_EQ(differing_conditions(before, other).at(0).resumed(), Judgement::ignored);
  }
}

TEST(RecordedConditions, WhatConcernsAGpuMattersOnGpusAlone) {
  for (const char* const name : {"CUDA_LAUNCH_BLOCKING", "NVIDIA_TF32_OVERRIDE", "NCCL_ALGO"}) {
    Document after = on("cpu");
    after.environment.variables[name] = "1";
    EXPECT_EQ(refused(on("cpu"), after), Texts{});
    after.run.device = "cuda:0";
    EXPECT_EQ(refused(on("cuda:0"), after), Texts{name});
  }
  Document capped = on("cuda:0");
  capped.environment.gpus[0].power_limit_w = 500;
  EXPECT_EQ(refused(on("cuda:0"), capped), Texts{"the GPU's power limit"});
}

TEST(RecordedConditions, OfAVariableWhatTheWorkersGotCounts) {
  Document found = on("cpu"), set = on("cpu");
  found.environment.variables["OMP_NUM_THREADS"] = "2";
  found.conditions["OMP_NUM_THREADS"] = "2";  // a person's own, handed on
  set.conditions["OMP_NUM_THREADS"] = "2";
  EXPECT_TRUE(differing_conditions(found, set).empty());
  Document left_alone = on("cpu");
  left_alone.environment.variables["OMP_NUM_THREADS"] = "4";
  EXPECT_EQ(refused(set, left_alone), Texts{"OMP_NUM_THREADS"});
}

TEST(RecordedConditions, WhatAWorkerDidNotSayIsNoDifferenceOfAResumedRun) {
  Document before = on("cpu"), after = on("cpu");
  before.conditions = {{"threads", "2"}, {"resumed_with", "threads: 1, was 2"}};
  before.environment.libraries = {{"torch", "2.11.0"}};
  for (const ConditionDifference& difference : differing_conditions(before, after))
    EXPECT_EQ(difference.resumed(), Judgement::ignored) << difference.what;
  EXPECT_EQ(refused(before, after), Texts{"what it was resumed with"});
  after.conditions = {{"threads", "1"}};
  EXPECT_EQ(differing_conditions(before, after).at(1).what, "threads");
  EXPECT_EQ(differing_conditions(before, after).at(1).resumed(), Judgement::refused);
}

TEST(RecordedConditions, EachRowIsReachableAndNoneStandsTwice) {
  for (std::size_t i = 0; i < condition_rows().size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const ConditionRow &row = condition_rows()[i], &earlier = condition_rows()[j];
      if (row.place != earlier.place || row.device != earlier.device) continue;
      const bool hidden = earlier.name.ends_with('*') &&
                          row.name.starts_with(earlier.name.substr(0, earlier.name.size() - 1));
      EXPECT_FALSE(row.name == earlier.name || hidden) << row.name << " is hidden by " << earlier.name;
    }
}

TEST(RecordedConditions, CredentialsAreNoCondition) {
  for (const char* const name : {"PATH", "HOME", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "PYTORCH_TOKEN", ""})
    EXPECT_EQ(variable_row(name), nullptr) << name;
}

}  // namespace
}  // namespace bench
