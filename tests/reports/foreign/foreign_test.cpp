// Files as Google Benchmark 1.7 and hyperfine 1.15 write them: google_benchmark.json,
// google_benchmark_odd.json (rows left out), hyperfine.json (one exit code changed to 3).
#include "reports/foreign/foreign.hpp"

#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/core/text.hpp"
#include "harness/protocol/json.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/compare/comparison_notes.hpp"
#include "reports/formats.hpp"
#include "reports/load.hpp"
#include "reports/notes.hpp"
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

// A Google Benchmark file with these rows, of which a row is `{"name":...}`.
Document google_benchmark_of(const std::string& rows) {
  return foreign_document(R"({"context":{},"benchmarks":[)" + rows + "]}", "x");
}

std::string google_benchmark_row(const std::string& name, double real_time) {
  return fmt::format(R"({{"name":"{}","iterations":1,"real_time":{}}})", name, real_time);
}

Document hyperfine_of(const std::string& results) {
  return foreign_document(R"({"results":[)" + results + "]}", "x");
}

std::vector<std::string> ids_of(const Document& document) {
  std::vector<std::string> ids;
  for (const CaseResult& result : document.cases) ids.push_back(result.configuration.id());
  return ids;
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

TEST(GoogleBenchmarkReader, WhatWasSkippedHasNoResult) {
  const Document document = google_benchmark_of(
      R"({"name":"skipped","skipped":true,"skip_message":"needs AVX","iterations":0,"real_time":0},
         {"name":"silent","iterations":0,"real_time":0},
         {"name":"failed","error_occurred":true,"error_message":"no file","iterations":0,"real_time":0},
         {"name":"no time","iterations":3,"real_time":NaN},
         {"name":"second","iterations":3,"real_time":2},
         {"name":"second","skipped":true,"skip_message":"once is enough","iterations":0,"real_time":0},
         {"name":"ok","iterations":3,"real_time":2})");
  std::vector<std::string> outcomes;
  for (const CaseResult& result : document.cases) {
    outcomes.push_back(words(result.status) + ": " + result.reason.text);
    EXPECT_EQ(result.summaries.empty(), result.status != Status::ok) << result.configuration.id();
  }
  EXPECT_EQ(outcomes, (std::vector<std::string>{
                          "skipped: needs AVX", "skipped: it made no iteration", "failed: no file",
                          "failed: the file holds no real_time of it", "skipped: once is enough", "ok: "}));
}

TEST(GoogleBenchmarkReader, NumbersThatAreNoneRefuseNothing) {
  const Document document = load_document(fixture("google_benchmark_odd.json"));
  EXPECT_EQ(ids_of(document),
            (std::vector<std::string>{"BM_Sort<std::less<int>>/iterations:3/repeats:2",
                                      "BM_Sort<std::greater<int>>/iterations:3/repeats:2",
                                      "BM_Counters/iterations:3/repeats:2", "BM_N/argument:8/iterations:3",
                                      "BM_N/argument:64/iterations:3", "BM_Bad"}));
  const CaseResult& counters = document.cases[2];
  EXPECT_EQ(summary(counters, "zero").value, 0);
  EXPECT_NEAR(summary(counters, "real_time").value, 106.67, 0.5);
  EXPECT_EQ(support::texts(counters.warnings),
            (std::vector<std::string>{"much is left out: its value is not a finite number",
                                      "nothing is left out: its value is not a finite number"}));
}

TEST(GoogleBenchmarkReader, WordsInsideStringsAreText) {
  const Document document =
      google_benchmark_of(R"({"name":"a\"NaN, Infinity\\","real_time":1,"x":-nan,"y":inf})");
  EXPECT_EQ(ids_of(document), std::vector<std::string>{"a\"NaN, Infinity\\"});
  EXPECT_EQ(document.cases[0].summaries.size(), 1U);
}

TEST(GoogleBenchmarkReader, BeforeVersion15ItsNameSaysThatARowIsAnAggregate) {
  std::string rows = google_benchmark_row("BM_Sum/8", 2);
  for (const char* aggregate : {"mean", "median", "stddev", "cv"})
    rows += "," + google_benchmark_row(std::string("BM_Sum/8_") + aggregate, 3);
  rows += R"(,{"name":"BM_Sum_BigO","cpu_coefficient":1,"real_coefficient":1,"big_o":"N"})"
          R"(,{"name":"BM_Sum_RMS","rms":0.1},)" +
          google_benchmark_row("BM_geometric_mean", 5);
  const Document document = google_benchmark_of(rows);
  EXPECT_EQ(ids_of(document), (std::vector<std::string>{"BM_Sum/argument:8", "BM_geometric_mean"}));
  EXPECT_EQ(summary(document.cases[0], "real_time").value, 2);
  EXPECT_EQ(document.cases[0].samples.size(), 1U);
}

TEST(GoogleBenchmarkReader, OfAggregatesAloneTheMedianIsTheTimeAndSaysSo) {
  const auto row = [](const std::string& aggregate, double real_time) {
    return fmt::format(R"({{"name":"a/8_{0}","run_name":"a/8","run_type":"aggregate","repetitions":5,)"
                       R"("aggregate_name":"{0}","iterations":5,"real_time":{1},"bytes":64}})",
                       aggregate, real_time);
  };
  const Document document =
      google_benchmark_of(row("mean", 4) + "," + row("median", 3) + "," + row("stddev", 0.5) + "," +
                          google_benchmark_row("b_mean", 7) + "," + google_benchmark_row("b_stddev", 1));
  ASSERT_EQ(ids_of(document), (std::vector<std::string>{"a/argument:8", "b"}));
  const Summary& time = summary(document.cases[0], "real_time");
  EXPECT_EQ(time.value, 3);
  EXPECT_EQ(time.n, 5);
  EXPECT_EQ(time.mean, 4);
  EXPECT_EQ(time.standard_deviation, 0.5);
  EXPECT_EQ(summary(document.cases[0], "bytes").value, 64);
  EXPECT_EQ(
      document.cases[0].notes,
      std::vector<std::string>{"the file holds only aggregates of the repetitions: times are their median"});
  EXPECT_EQ(summary(document.cases[1], "real_time").value, 7);
  EXPECT_EQ(
      support::texts(document.cases[1].notes),
      std::vector<std::string>{"the file holds only aggregates of the repetitions: times are their mean"});
}

TEST(GoogleBenchmarkReader, IterationsMayBeWrittenAsAReal) {
  const Document document = google_benchmark_of(R"({"name":"a","iterations":1e+06,"real_time":2.5})");
  EXPECT_EQ(document.cases[0].samples[0].steps, 1'000'000);
  EXPECT_EQ(document.cases[0].samples[0].host_ns, 2'500'000);
  EXPECT_EQ(support::error_of(ErrorKind::usage,
                              [] { google_benchmark_of(R"({"name":"a","iterations":1.5,"real_time":2})"); }),
            "x: benchmarks[0].iterations: is no count");
}

TEST(GoogleBenchmarkReader, TextIsANumberOnlyIfItPrintsBackToTheSameText) {
  const Document document =
      google_benchmark_of(google_benchmark_row("a/python:3.10/id:0012345/size:1e7/n:64/lr:0.5/007", 1));
  EXPECT_EQ(ids_of(document),
            std::vector<std::string>{"a/python:3.10/id:0012345/size:1e7/n:64/lr:0.5/argument:007"});
  EXPECT_EQ(document.cases[0].configuration.integer("n"), 64);
  EXPECT_EQ(document.cases[0].configuration.real("lr"), 0.5);
  EXPECT_EQ(document.cases[0].configuration.text("python"), "3.10");
}

TEST(GoogleBenchmarkReader, OnlyAPlainNameIsAParameter) {
  const Document document = google_benchmark_of(google_benchmark_row("sort/std::less/8", 1) + "," +
                                                google_benchmark_row("sort/std::greater/8", 1) + "," +
                                                google_benchmark_row("sort/a b:1/x<y>:2/:3", 1));
  EXPECT_EQ(ids_of(document),
            (std::vector<std::string>{"sort/std::less/argument:8", "sort/std::greater/argument:8",
                                      "sort/a b:1/x<y>:2/:3"}));
  EXPECT_TRUE(document.cases[2].configuration.values.empty());
}

TEST(GoogleBenchmarkReader, ANameThatIsTakenGetsASuffix) {
  const Document document =
      google_benchmark_of(google_benchmark_row("a/n:1/n:2/argument:3/4/workload:w/repetition:5", 1));
  EXPECT_EQ(ids_of(document),
            std::vector<std::string>{"a/n:1/n-2:2/argument:3/argument-2:4/workload-2:w/repetition-2:5"});
}

TEST(GoogleBenchmarkReader, BenchmarksOfOneNameAreNumbered) {
  const auto row = [](int family, double real_time) {
    return fmt::format(R"({{"name":"a","family_index":{},"real_time":{}}})", family, real_time);
  };
  const Document document =
      google_benchmark_of(row(0, 1) + "," + row(1, 2) + "," + row(1, 2) + "," + row(2, 3) + "," +
                          google_benchmark_row("b/8/c", 4) + "," + google_benchmark_row("b/c/8", 5));
  EXPECT_EQ(ids_of(document), (std::vector<std::string>{"a", "a/occurrence:2", "a/occurrence:3",
                                                        "b/c/argument:8", "b/c/argument:8/occurrence:2"}));
  EXPECT_EQ(document.cases[1].samples.size(), 2U);
  EXPECT_EQ(compare({"a", &document}, {{"b", &document}}, {}).cases.size(), 5U);
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

TEST(HyperfineReader, OneResultWithoutTimesLeavesTheOthers) {
  const Document document =
      hyperfine_of(R"({"command":"x","median":1},{"command":"y","times":[]},{"command":"z","times":[2]})");
  EXPECT_EQ(document.cases[0].status, Status::failed);
  EXPECT_EQ(document.cases[0].reason.text, "the file holds no times of its runs");
  EXPECT_EQ(document.cases[1].status, Status::failed);
  EXPECT_EQ(summary(document.cases[2], "time").value, 2e9);
}

TEST(HyperfineReader, CommandsAndParametersOfOneNameAreToldApart) {
  const Document document = hyperfine_of(
      R"({"command":"a","times":[1]},{"command":"a","times":[2]},
         {"command":"sh x","times":[3],"parameters":{"command":"x","v":"3.10"}})");
  EXPECT_EQ(ids_of(document),
            (std::vector<std::string>{"hyperfine/command:a", "hyperfine/command:a/occurrence:2",
                                      "hyperfine/command:sh x/command-2:x/v:3.10"}));
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
  EXPECT_EQ(refusal(R"({"results":[{"command":"x","times":[-1]}]})"),
            "x.json: results[0].times[0]: is no time");
  EXPECT_EQ(refusal(R"({"results":[{"command":"x","times":[1,NaN]}]})"),
            "x.json: results[0].times[1]: expected a number, found null");
  EXPECT_EQ(refusal(R"({"results":[{"command":"x","times":[1,}]})").substr(0, 39),
            "x.json: not valid JSON: line 1, column ");
}

TEST(ForeignFiles, AnUnknownFormatNamesThoseThatAreRead) {
  for (const std::string text : {R"({"benchmarks":[]})", R"({"results":{"a":1}})", R"({"cases":[{"a":1}]})",
                                 "[]", "", "name,iterations,real_time\n"})
    EXPECT_EQ(
        support::error_of(ErrorKind::usage, [&] { document_from_text(text, "x.json"); }),
        "x.json is no file that bench reads: those are a run's run.json or cases.jsonl, what Google "
        "Benchmark writes with --benchmark_out_format=json, and what hyperfine writes with --export-json");
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What bench does when it measures, and what it can do again, is said of no other program's times.
TEST(ForeignFiles, SentencesAreTrueOfThem) {
  const Document google = load_document(fixture("google_benchmark.json"));
  const Document hyperfine = load_document(fixture("hyperfine.json"));
  EXPECT_TRUE(says(format_named("markdown").render(google),
                   "\nMeasured by Google Benchmark in `gb`; read from its file.\n"));
  EXPECT_TRUE(
      says(format_named("markdown").render(hyperfine), "\nMeasured by hyperfine; read from its file.\n"));
  EXPECT_TRUE(
      says(join(notes_of(google), "\n"),
           "times: median of 3 samples of 48076 to 760329 runs each; below 6 samples no interval is given"));
  EXPECT_TRUE(
      says(join(notes_of(hyperfine), "\n"), "times: median of 6 runs ± 95% interval (its farther end)"));
  for (const Document* document : {&google, &hyperfine}) {
    for (const char* format : {"markdown", "html", "latex"}) {
      const std::string text = format_named(format).render(*document);
      const std::string data = text.substr(std::min(text.size(), text.find("application/json")));
      for (const char* wrong : {"Command: ", "seed ", "\"seed\"", "method version", "Conditions", "blocking",
                                "warm-up step", "bench run", "--repeat"})
        EXPECT_FALSE(says(std::string(format) == "html" ? data : text, wrong)) << format << ": " << wrong;
    }
    const Comparison comparison = compare({"a", document}, {{"b", document}}, {});
    EXPECT_TRUE(next_commands(comparison).empty());
    std::vector<std::string> sentences = comparison_notes(comparison);
    for (std::string& question : open_questions(comparison)) sentences.push_back(std::move(question));
    for (const char* wrong : {"bench run", "--repeat"})
      EXPECT_FALSE(says(join(sentences, "\n"), wrong)) << wrong;
  }
}

TEST(ForeignFiles, StayForeignAsJson) {
  const Document document = load_document(fixture("hyperfine.json"));
  EXPECT_EQ(document_from_text(format_named("json").render(document), "x"), document);
}

TEST(ForeignFiles, CsvSaysNothingOfHowTheyWereMeasuredButWhatIsInThem) {
  const std::string text =
      format_named("csv").render(google_benchmark_of(google_benchmark_row("a/n:64/warmup:3", 2)));
  EXPECT_TRUE(text.starts_with("case_id,label,device,workload,parameter_n,warmup,timing,cache,repetition,"));
  EXPECT_TRUE(says(text, "\r\na/n:64/warmup:3,,,a,64,3,,,0,1,ok,,real_time,ns,2,"));
}

}  // namespace
}  // namespace bench::reports
