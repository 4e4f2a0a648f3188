#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/protocol/json.hpp"
#include "reports/formats.hpp"
#include "reports/table.hpp"
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
