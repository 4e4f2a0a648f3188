#include "workloads/model/case_rules.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/registry/expand.hpp"
#include "tests/workloads/model/tiny.hpp"
#include "workloads/model/definition.hpp"

namespace bench::model {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> ids(const Options& options) {
  static const registry::WorkloadSpec spec = make_spec();
  registry::ExpandRequest request;
  request.options = options;
  std::vector<std::string> result;
  for (const auto& planned : registry::expand(spec, request)) result.push_back(planned.configuration.id());
  return result;
}

// The part of the id before the vocabulary, which is the first parameter that no size hides.
std::string size_part(const Options& options) {
  const std::string id = ids(options).at(0);
  return id.substr(0, id.find("/vocabulary"));
}

TEST(ModelCase, SpelledOutStatesTheDimensionsOfItsSize) {
  Case configuration{.workload = "model",
                     .values = {{"size", std::string("7B")},
                                {"layers", std::int64_t{4}},
                                {"vocabulary", std::int64_t{61}},
                                {"context", std::int64_t{8}},
                                {"batch", std::int64_t{1}}}};
  const Case spelled_out = spell_out(configuration);
  EXPECT_EQ(spelled_out.integer("d-model"), 2560);
  EXPECT_EQ(spelled_out.integer("d-ff"), 10240);
  EXPECT_EQ(spelled_out.integer("layers"), 4);
  EXPECT_EQ(spelled_out.integer("heads"), 32);
}

TEST(CaseRules, ADefaultCaseListsEveryParameterThatMatters) {
  EXPECT_EQ(ids({}).at(0),
            "model/size:small/vocabulary:10000/context:256/batch:4/mode:train-step/precision:fp32/"
            "attention:naive/implementation:eager/optimizer:adamw/loss:naive/lr:0.001/beta1:0.9/beta2:0.999/"
            "eps:1e-08/weight-decay:0.01");
}

TEST(CaseRules, ACompileModeBelongsToTorchCompileOnly) {
  const std::vector<std::string> all =
      ids({{"implementation", "eager,torch-eager,torch-compile"}, {"compile-mode", "default,max-autotune"}});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].find("compile-mode"), std::string::npos);
  EXPECT_EQ(all[1].find("compile-mode"), std::string::npos);
  EXPECT_NE(all[3].find("/implementation:torch-compile/compile-mode:max-autotune/"), std::string::npos);
}

TEST(CaseRules, PeersThatDifferInImplementationShareAReference) {
  const Case compiled = tiny_case({{"implementation", "torch-compile"},
                                   {"compile-mode", "max-autotune"},
                                   {"attention", "sdpa"},
                                   {"optimizer", "adamw-fused"}});
  EXPECT_EQ(program_of(compiled), "torch");
  EXPECT_EQ(program_of(tiny_case()), "");
  EXPECT_EQ(reference_case(compiled).id(), tiny_case().id());
  EXPECT_EQ(reference_case(tiny_case({{"implementation", "torch-eager"}, {"warmup", std::int64_t{0}}})).id(),
            tiny_case().id());
  EXPECT_NE(reference_case(tiny_case({{"implementation", "torch-eager"}, {"lr", 0.5}})).id(),
            tiny_case().id());
}

TEST(CaseRules, WhatThePeerLacksIsSkipped) {
  Case flash = tiny_case({{"implementation", "torch-eager"}});
  EXPECT_TRUE(supports(flash, "cpu", {}).yes);
  flash.set("attention", std::string("flash"));
  EXPECT_EQ(supports(flash, "cpu", {}).reason, "the Python peer has no attention flash");
  flash.set("implementation", std::string("eager"));
  EXPECT_TRUE(supports(flash, "cpu", {}).yes);
}

TEST(CaseRules, ASizeKeepsTheDimensionsThatDifferFromIt) {
  EXPECT_EQ(size_part({{"size", "large"}, {"layers", "4"}}), "model/size:large/layers:4");
  EXPECT_EQ(size_part({{"size", "large"}, {"layers", "36"}}), "model/size:large");
  EXPECT_EQ(size_part({{"layers", "4"}}), "model/size:small/layers:4");
}

TEST(CaseRules, FourDimensionsWithoutASizeAreCustom) {
  EXPECT_EQ(size_part({{"d-model", "64"}, {"d-ff", "256"}, {"layers", "2"}, {"heads", "4"}}),
            "model/size:custom/d-model:64/d-ff:256/layers:2/heads:4");
  EXPECT_EQ(
      size_part({{"size", "small"}, {"d-model", "64"}, {"d-ff", "256"}, {"layers", "2"}, {"heads", "4"}}),
      "model/size:custom/d-model:64/d-ff:256/layers:2/heads:4");
}

TEST(CaseRules, DimensionsOfANamedSizeRenderAsThatSize) {
  EXPECT_EQ(size_part({{"d-model", "1024"}, {"d-ff", "4096"}, {"layers", "24"}, {"heads", "16"}}),
            "model/size:medium");
  EXPECT_EQ(
      size_part(
          {{"size", "custom"}, {"d-model", "768"}, {"d-ff", "3072"}, {"layers", "12"}, {"heads", "12"}}),
      "model/size:small");
  EXPECT_EQ(size_part({{"size", "xl-2026"}}), "model/size:7B");
}

TEST(CaseRules, TheLeaderboardModelBringsItsVocabularyContextAndBatch) {
  EXPECT_EQ(ids({{"size", "leaderboard-8B"}, {"mode", "forward"}}).at(0),
            "model/size:leaderboard-8B/vocabulary:151936/context:32768/batch:2/mode:forward/precision:fp32/"
            "attention:naive/implementation:eager");
  EXPECT_EQ(ids({{"size", "leaderboard-8B"}, {"context", "512"}, {"mode", "forward"}}).at(0),
            "model/size:leaderboard-8B/vocabulary:151936/context:512/batch:2/mode:forward/precision:fp32/"
            "attention:naive/implementation:eager");
}

TEST(CaseRules, ParametersWithoutEffectMakeNoFurtherCases) {
  const auto cases =
      ids({{"mode", "forward,forward-backward,train-step"}, {"optimizer", "adamw,adamw-fused"}});
  ASSERT_EQ(cases.size(), 4u);
  EXPECT_EQ(cases[0].find("loss"), std::string::npos);
  EXPECT_NE(cases[1].find("loss:naive"), std::string::npos);
  EXPECT_EQ(cases[1].find("optimizer"), std::string::npos);
  EXPECT_EQ(cases[1].find("lr:"), std::string::npos);
}

TEST(CaseRules, ACanonicalCaseStaysAsItIs) {
  const std::vector<Options> requests{
      {},
      {{"size", "large"}, {"layers", "4"}},
      {{"d-model", "64"}, {"d-ff", "256"}, {"layers", "2"}, {"heads", "4"}},
      {{"d-model", "64"}, {"layers", "2"}, {"heads", "4"}},
      {{"size", "leaderboard-8B"}, {"vocabulary", "10000"}, {"mode", "forward"}},
      {{"d-model", "4096"},
       {"d-ff", "11008"},
       {"layers", "34"},
       {"heads", "32"},
       {"mode", "forward-backward"}},
  };
  for (const Options& request : requests) {
    const std::string id = ids(request).at(0);
    Options again;
    std::size_t at = id.find('/');
    while (at != std::string::npos) {
      const std::size_t next = id.find('/', at + 1);
      const std::string part = id.substr(at + 1, next == std::string::npos ? next : next - at - 1);
      again.emplace_back(part.substr(0, part.find(':')), part.substr(part.find(':') + 1));
      at = next;
    }
    EXPECT_EQ(ids(again), std::vector{id});
  }
}

std::vector<std::string> sentences(const Case& configuration) {
  std::vector<std::string> result;
  for (const auto& error : validate(configuration)) result.push_back(error.sentence);
  return result;
}

TEST(CaseRules, HeadsMustDivideTheModelIntoEvenSizes) {
  EXPECT_TRUE(sentences(tiny_case()).empty());
  EXPECT_EQ(sentences(tiny_case({{"d-model", std::int64_t{770}}, {"heads", std::int64_t{12}}})),
            std::vector<std::string>{
                "d-model 770 does not divide into 12 heads of even size; the nearest that do are "
                "768 and 792"});
  EXPECT_EQ(
      sentences(tiny_case({{"d-model", std::int64_t{20}}})),
      std::vector<std::string>{"RoPE rotates pairs, but d-model 20 with 4 heads has an odd head size, 5; the "
                               "nearest that do are 16 and 24"});
}

TEST(CaseRules, CustomNeedsAllFourDimensions) {
  Case incomplete = tiny_case();
  incomplete.erase("heads");
  const auto errors = validate(incomplete);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].parameter, "heads");
}

TEST(CaseRules, ATensorBeyondTheReachOfItsIndexIsRefused) {
  const std::int64_t million = 1'048'576;
  const auto errors =
      validate(tiny_case({{"heads", std::int64_t{16}}, {"context", million}, {"batch", million}}));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].parameter, "context");
}

TEST(CaseRules, ADecayOfOneIsRefused) {
  EXPECT_EQ(sentences(tiny_case({{"beta2", 1.0}})),
            std::vector<std::string>{"beta2 must be below 1: AdamW divides by 1 - beta2^step"});
}

}  // namespace
}  // namespace bench::model
