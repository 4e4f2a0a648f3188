#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/protocol/json.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/formats.hpp"
#include "reports/load.hpp"
#include "reports/results_table.hpp"
#include "reports/terminal_table.hpp"
#include "tests/reports/compare/made_up_runs.hpp"
#include "tests/support/example_document.hpp"
#include "tests/support/golden.hpp"

namespace bench::reports {
namespace {

using support::empty_document;
using support::example_document;
using support::expect_golden;
using support::gpu_document;

TEST(Golden, Terminal) {
  expect_golden(terminal_table(results_table(example_document())), "tests/golden/reports/terminal.txt");
}

TEST(Golden, Markdown) {
  expect_golden(format_named("markdown").render(example_document()), "tests/golden/reports/report.md");
}

TEST(Golden, Csv) {
  expect_golden(format_named("csv").render(example_document()), "tests/golden/reports/report.csv");
}

TEST(Golden, Comparison) {
  using namespace support;
  Document base = made_up_run({made_up_case("small", around(10'000), 2.61e9),
                               made_up_case("medium", around(30'000), 8.51e9),
                               made_up_case("large", around(90'000), 2e10), made_up_case("xl", around(10))});
  Document other = made_up_run({made_up_case("small", around(10'300), 2.61e9),
                                made_up_case("medium", around(45'000), 8.6e9),
                                made_up_case("large", around(50'000), 2e10)});
  other.cases[2].status = Status::out_of_memory;
  other.cases[2].reason = said("set-up: 14.4 GiB asked for, 11.2 GiB left");
  other.environment.libraries["torch"] = "2.12.0";
  const reports::Comparison comparison = compare({"main", &base}, {{"a|b <b>", &other}}, {});
  for (const auto& [name, file] :
       {std::pair("markdown", "compare.md"), {"csv", "compare.csv"}, {"json", "compare.json"}})
    expect_golden(compare_format_named(name).render(comparison), std::string("tests/golden/reports/") + file);
}

// These are the schema's examples too: schema_test.py validates them.
TEST(Golden, Json) {
  expect_golden(format_named("json").render(example_document()), "reports/schema/examples/model-cpu.json");
}

TEST(Golden, JsonOfARunThatEndedBeforeItsFirstCase) {
  expect_golden(format_named("json").render(empty_document()), "reports/schema/examples/no-case.json");
}

TEST(Golden, JsonOfARunOnAGpu) {
  expect_golden(format_named("json").render(gpu_document()), "reports/schema/examples/model-cuda.json");
}

TEST(Golden, JsonOfAnotherProgramsFile) {
  const Document document =
      document_from_text(R"({"results":[{"command":"sleep 0.1","times":[0.1,0.2]}]})", "hyperfine.json");
  expect_golden(format_named("json").render(document), "reports/schema/examples/hyperfine.json");
}

TEST(Golden, MarkdownOfARunOnAGpu) {
  expect_golden(format_named("markdown").render(gpu_document()), "tests/golden/reports/report-cuda.md");
}

TEST(Golden, TheExamplesAreReadBackAsTheyWereWritten) {
  for (const Document& document : {example_document(), empty_document(), gpu_document()}) {
    const std::string text = format_named("json").render(document);
    EXPECT_EQ(protocol::document_from_json(protocol::parse(text, "run.json"), "run.json"), document);
  }
}

}  // namespace
}  // namespace bench::reports
