// Files as Google Benchmark 1.7 and hyperfine 1.15 write them: google_benchmark.json, hyperfine.json (one
// exit code changed to 3).
#include "reports/foreign/foreign.hpp"

#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/protocol/json.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/formats.hpp"
#include "reports/load.hpp"
#include "reports/parameters.hpp"
#include "tests/support/example_document.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace bench::reports {
namespace {

std::string fixture(const std::string& name) {
  return std::string(BENCH_SOURCE_DIR) + "/tests/reports/foreign/" + name;
}

const Summary& summary(const CaseResult& result, const std::string& metric) {
  for (const Summary& one : result.summaries)
    if (one.metric == metric) return one;
  throw std::runtime_error("no " + metric);
}

TEST(GoogleBenchmarkReader, RepetitionsAreSamplesAndNamesAreParameters) {
  const Document document = load_document(fixture("google_benchmark.json"));
  ASSERT_EQ(document.cases.size(), 3U);
  const CaseResult& first = document.cases[0];
  EXPECT_EQ(first.configuration.id(), "BM_Sum/n:64/repeats:3");
  EXPECT_EQ(first.configuration.integer("n"), 64);
  EXPECT_EQ(first.samples.size(), 3U);
  EXPECT_EQ(first.samples[0].steps, 760329);
  EXPECT_NEAR(summary(first, "real_time").value, 37.239125432186540, 1e-5);
  EXPECT_EQ(summary(first, "peak_bytes").n, 0);
  EXPECT_EQ(summary(first, "peak_bytes").value, 256);
  EXPECT_EQ(summary(first, "items_per_second").unit, "items/s");
}

TEST(GoogleBenchmarkReader, TimesKeepTheirFractionOfANanosecond) {
  const auto read = [](const std::string& run_type, int iterations) {
    return from_google_benchmark(
        protocol::parse(R"({"context":{},"benchmarks":[{"name":"a","run_type":")" + run_type +
                            R"(","aggregate_name":"median","iterations":)" + std::to_string(iterations) +
                            R"(,"real_time":2.4,"time_unit":"ns"}]})",
                        "x"),
        "x");
  };
  const Document median = read("aggregate", 3);  // of three repetitions, of which none is here
  EXPECT_EQ(summary(median.cases[0], "real_time").value, 2.4);
  EXPECT_TRUE(median.cases[0].samples.empty());
  EXPECT_EQ(median.cases[0].policy.warmup_steps, 0);
  const Document repetition = read("iteration", 1);
  EXPECT_EQ(summary(repetition.cases[0], "real_time").value, 2.4);
  EXPECT_EQ(repetition.cases[0].samples.size(), 1U);
}

TEST(GoogleBenchmarkReader, ACounterThatLosesDigitsSaysSo) {
  const Document document = from_google_benchmark(
      protocol::parse(R"({"context":{},"benchmarks":[{"name":"a","real_time":1,"bytes":9007199254740993,)"
                      R"("kept":9007199254740992}]})",
                      "x"),
      "x");
  EXPECT_EQ(summary(document.cases[0], "kept").value, 9'007'199'254'740'992);
  EXPECT_EQ(support::texts(document.cases[0].warnings),
            std::vector<std::string>{"bytes is 9007199254740993, which is read as 9007199254740992: counters "
                                     "are kept to 53 bits"});
}

TEST(GoogleBenchmarkReader, AnErrorIsAFailedCase) {
  const Document document = load_document(fixture("google_benchmark.json"));
  EXPECT_EQ(document.cases[2].status, Status::failed);
  EXPECT_EQ(document.cases[2].reason.text, "no device \"x\"");
}

TEST(GoogleBenchmarkReader, ReadsItsOwnExportBack) {
  const Document document = support::example_document();
  const Document back = from_google_benchmark(
      protocol::parse(format_named("google-benchmark").render(document), "x.json"), "x.json");
  ASSERT_EQ(back.cases.front().configuration, document.cases.front().configuration);
  EXPECT_DOUBLE_EQ(summary(back.cases.front(), "real_time").value,
                   summary(document.cases.front(), "step").value);
  EXPECT_EQ(summary(back.cases.front(), "peak_allocated").value,
            summary(document.cases.front(), "peak_allocated").value);
  EXPECT_EQ(back.cases.size(), 3U * 4);  // step and three phases of the cases that are ok
}

TEST(GoogleBenchmarkReader, AnAxisOfMeasuringTellsTheCasesOfAnExportApart) {
  Document document = support::example_document();
  CaseResult one = document.cases.front();
  document.cases.clear();
  for (const std::int64_t warmup : {1, 5}) {
    one.policy.warmup_steps = static_cast<int>(warmup);
    one.configuration.set("warmup", warmup);
    document.cases.push_back(one);
  }
  const Document back = from_google_benchmark(
      protocol::parse(format_named("google-benchmark").render(document), "x.json"), "x.json");
  EXPECT_EQ(parameter_of(back.cases.front(), "warmup"), Value(std::int64_t{1}));
  EXPECT_EQ(parameter_of(back.cases.back(), "warmup"), Value(std::int64_t{5}));
  const std::vector<std::string> varying = varying_parameters(back);
  std::set<std::string> labels;
  for (const CaseResult& result : back.cases) labels.insert(case_label(result, varying));
  EXPECT_EQ(labels.size(), back.cases.size());
}

TEST(GoogleBenchmarkReader, PlainNumbersInANameAreArguments) {
  const Document document = from_google_benchmark(
      protocol::parse(R"({"context":{},"benchmarks":[{"name":"BM_X<int>/8/2.5/real_time","real_time":3,
                          "time_unit":"us","iterations":2}]})",
                      "x"),
      "x");
  EXPECT_EQ(document.cases[0].configuration.id(), "BM_X<int>/real_time/argument:8/argument-2:2.5");
  EXPECT_EQ(document.cases[0].samples[0].host_ns, 6000);
}

TEST(HyperfineReader, EachTimeIsAProcessOfItsOwn) {
  const Document document = load_document(fixture("hyperfine.json"));
  ASSERT_EQ(document.cases.size(), 4U);
  EXPECT_EQ(document.cases[1].configuration.text("command"), "sleep 0.001");
  EXPECT_EQ(document.cases[1].configuration.integer("n"), 1);
  EXPECT_EQ(document.cases[1].samples.size(), 6U);
  EXPECT_EQ(document.cases[1].samples[0].host_ns, 3'797'734);
  EXPECT_EQ(document.cases[2].status, Status::failed);
  EXPECT_EQ(document.cases[2].reason.text, "the command exited with 3");
  const Comparison comparison = compare({"a", &document}, {{"b", &document}}, {});
  EXPECT_EQ(comparison.cases[1].base.processes, 6);
}

TEST(ForeignFiles, AreRefusedWithTheMemberAtFault) {
  support::TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    std::ofstream(folder.path("x.json")) << text;
    const std::string sentence =
        support::error_of(ErrorKind::usage, [&] { load_document(folder.path("x.json")); });
    return sentence.substr(sentence.find("x.json"));
  };
  EXPECT_EQ(refusal(R"({"context":{},"benchmarks":3})"),
            "x.json: benchmarks: expected an array, found the number 3");
  EXPECT_EQ(refusal(R"({"context":{},"benchmarks":[{"name":"a","real_time":"3"}]})"),
            "x.json: benchmarks[0].real_time: expected a number, found a string");
  EXPECT_EQ(refusal(R"({"context":{},"benchmarks":[{"name":"a","real_time":1,"time_unit":"h"}]})"),
            "x.json: benchmarks[0].time_unit: \"h\" is none of ns, us, ms, s");
  EXPECT_EQ(refusal(R"({"context":{},"benchmarks":[{"name":"a","real_time":1e300}]})"),
            "x.json: benchmarks[0].real_time: is no time");
  EXPECT_EQ(refusal(R"({"results":[{"command":"x","times":[]}]})").substr(0, 39),
            "x.json: results[0].times: no time is he");
  EXPECT_EQ(refusal(R"({"results":[{"command":"x","times":[-1]}]})"),
            "x.json: results[0].times[0]: is no time");
  EXPECT_EQ(refusal(R"({"results":[{"command":"x","times":[1,NaN]}]})").substr(0, 39),
            "x.json: not valid JSON: line 1, column ");
}

}  // namespace
}  // namespace bench::reports
