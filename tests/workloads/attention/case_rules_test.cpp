#include "workloads/attention/case_rules.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/registry/expand.hpp"
#include "tests/support/expect_error.hpp"
#include "workloads/attention/definition.hpp"
#include "workloads/attention/fault_names.hpp"
#include "workloads/attention/problem.hpp"

namespace bench::attention {
namespace {

using registry::Options;

std::vector<std::string> ids(const Options& options, const registry::MemoryRoom& room = {}) {
  static const registry::WorkloadSpec spec = make_spec();
  std::vector<std::string> result;
  for (const auto& planned : registry::expand(spec, {.options = options, .preset = {}, .room = room}))
    result.push_back(planned.configuration.id());
  return result;
}

std::string complaint(const Options& options) {
  return support::error_of(ErrorKind::usage, [&] { ids(options); });
}

TEST(AttentionCases, WithoutHeadsTheInputHasNoSuchAxis) {
  EXPECT_EQ(ids({}).at(0),
            "attention/batch:8/d-head:64/sequence:1024/causal:yes/dtype:fp32/implementation:naive/"
            "mode:forward-backward");
  EXPECT_EQ(ids({{"heads", "4"}}).at(0).substr(0, 35), "attention/batch:8/heads:4/d-head:64");
}

TEST(AttentionCases, AsManyKeysAsQueriesIsTheSquareProblem) {
  EXPECT_EQ(ids({{"keys", "1024"}}), ids({}));
  EXPECT_EQ(ids({{"causal", "bottom-right"}}), ids({}));
  EXPECT_NE(ids({{"causal", "bottom-right"}, {"keys", "1000"}}), ids({{"keys", "1000"}}));
}

TEST(AttentionCases, TotalsSetBatchAndHeads) {
  const std::vector<std::string> cases =
      ids({{"tokens", "16384"}, {"d-model", "2048"}, {"d-head", "64,128"}, {"sequence", "512,16384"}});
  ASSERT_EQ(cases.size(), 4u);
  const auto has = [](const std::string& id, const std::string& part) { return id.find(part) != id.npos; };
  EXPECT_TRUE(has(cases[0], "/batch:32/")) << cases[0];
  EXPECT_TRUE(has(cases[0], "/heads:32")) << cases[0];
  EXPECT_FALSE(has(cases[0], "tokens")) << cases[0];
  EXPECT_TRUE(has(cases[3], "/batch:1/")) << cases[3];
  EXPECT_TRUE(has(cases[3], "/heads:16")) << cases[3];
}

TEST(AttentionCases, TheLongestSequenceThatFitsLeavesTokensAndKeysAsTheyWereAskedFor) {
  const registry::MemoryRoom room{.device = "cpu", .bytes = std::int64_t{4} << 30};
  EXPECT_EQ(ids({{"tokens", "16384"}, {"sequence", "max"}}, room).at(0).substr(0, 41),
            "attention/batch:1/d-head:64/sequence:1638");
  EXPECT_NE(ids({{"keys", "1"}, {"sequence", "max"}}, room).at(0).find("/keys:1/"), std::string::npos);
}

TEST(AttentionCases, ShapesThatDoNotFitTogetherAreAUsageError) {
  EXPECT_EQ(
      complaint({{"tokens", "16384"}, {"sequence", "1000"}}),
      "--tokens: 16384 does not divide into sequences of 1000; the nearest that do are 16000 and 17000");
  EXPECT_EQ(complaint({{"d-model", "2048"}, {"d-head", "96"}}),
            "--d-model: 2048 does not divide into heads of 96; the nearest that do are 2016 and 2112");
  EXPECT_EQ(complaint({{"d-model", "2048"}, {"heads", "4"}}),
            "--d-model: it sets --heads, which is given too: leave one of them out");
}

TEST(AttentionCases, ValuesThatNoAttentionHasAreUsageErrors) {
  EXPECT_EQ(complaint({{"d-head", "300"}}), "--d-head: 300 is above 256, the most that makes sense");
  EXPECT_EQ(complaint({{"dtype", "int32"}}), "--dtype: there is no \"int32\"; valid: fp32, bf16, fp16");
  EXPECT_NE(complaint({{"implementation", "sdpa-flsh"}}).find("did you mean sdpa-flash?"), std::string::npos);
  EXPECT_EQ(complaint({{"batch", "1048576"}, {"heads", "65536"}, {"sequence", "1048576"}}),
            "--sequence: the scores would be a tensor of more than 2^63 bytes");
  EXPECT_EQ(complaint({{"batch", "1048576"},
                       {"heads", "65536"},
                       {"sequence", "1048576"},
                       {"keys", "1"},
                       {"d-head", "256"}}),
            "--sequence: the inputs would be tensors of more than 2^63 bytes");
}

TEST(AttentionCases, ACanonicalCaseStaysAsItIs) {
  for (const Options& options : std::vector<Options>{
           {}, {{"keys", "7"}, {"causal", "bottom-right"}}, {{"tokens", "2048"}, {"d-model", "128"}}}) {
    const std::string id = ids(options).at(0);
    // case_from_id looks workloads up in the registry, which this test links nothing into.
    Options again;
    for (std::size_t at = id.find('/'); at != std::string::npos;) {
      const std::size_t next = id.find('/', at + 1);
      const std::string part = id.substr(at + 1, next == std::string::npos ? next : next - at - 1);
      again.emplace_back(part.substr(0, part.find(':')), part.substr(part.find(':') + 1));
      at = next;
    }
    EXPECT_EQ(ids(again), std::vector{id});
  }
}

TEST(AttentionFaults, ANameOrAProblemThatCannotShowItIsRefused) {
  Problem problem{.batch = 1, .heads = 0, .queries = 8, .keys = 8, .causal = Causal::no};
  EXPECT_EQ(refuse_fault("", problem), std::nullopt);
  EXPECT_EQ(refuse_fault("zero-output", problem), std::nullopt);
  EXPECT_NE(refuse_fault("zero-outputs", problem)->find("did you mean zero-output?"), std::string::npos);
  const Problem one_visible{.queries = 1, .keys = 8, .causal = Causal::yes};
  EXPECT_EQ(refuse_fault("wrong-scale", one_visible),
            "the fault wrong-scale needs a query that sees at least two keys");
  const Problem backward{.queries = 8, .keys = 8, .mode = Mode::backward};
  EXPECT_EQ(refuse_fault("drifting-output", backward),
            "the fault drifting-output needs a mode with a forward");
  EXPECT_EQ(refuse_fault("swapped-heads", problem), "the fault swapped-heads needs at least two --heads");
  EXPECT_EQ(refuse_fault("mask-off-by-one", problem),
            "the fault mask-off-by-one needs --causal yes and at least two queries and keys");
  EXPECT_NE(refuse_fault("stale-lse", problem), std::nullopt);
  problem.implementation = "tiled";
  EXPECT_EQ(refuse_fault("stale-lse", problem), std::nullopt);
  problem.implementation = "torch-compile";
  EXPECT_EQ(refuse_fault("wrong-scale", problem), std::nullopt);
  EXPECT_EQ(refuse_fault("stale-lse", problem), "the Python peer has no fault stale-lse");
}

}  // namespace
}  // namespace bench::attention
