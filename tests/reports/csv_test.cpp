#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "harness/core/text.hpp"
#include "reports/formats.hpp"
#include "tests/support/example_document.hpp"

namespace bench::reports {
namespace {

using support::example_document;

// RFC 4180, written independently of the writer.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row{""};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      row.back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
      rows.push_back(std::exchange(row, {""}));
    } else {
      row.back() += c;
    }
  }
  EXPECT_EQ(row, std::vector<std::string>{""}) << "the last line must end";
  return rows;
}

std::vector<std::vector<std::string>> csv_of(const Document& document) {
  return read_csv(format_named("csv").render(document));
}

std::string cell(const std::vector<std::vector<std::string>>& rows, std::size_t row,
                 const std::string& column) {
  const auto at = std::ranges::find(rows[0], column);
  if (at == rows[0].end()) {
    ADD_FAILURE() << "no column " << column;
    return "";
  }
  return rows[row][static_cast<std::size_t>(at - rows[0].begin())];
}

TEST(Csv, HasOneRowPerCaseAndMetricAndOnePerCaseWithoutAResult) {
  const auto rows = csv_of(example_document());
  EXPECT_EQ(rows.size(), 1U + 3 * 8 + 2);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  EXPECT_EQ(cell(rows, 2, "metric"), "step");
  EXPECT_EQ(cell(rows, 2, "unit"), "ns");
  EXPECT_EQ(cell(rows, 2, "value"), "3487000000");
  EXPECT_EQ(cell(rows, 2, "low"), "3473052000");
  EXPECT_EQ(cell(rows, 2, "n"), "10");
  EXPECT_EQ(cell(rows, 2, "context"), "256");
  EXPECT_EQ(cell(rows, 25, "status"), "out_of_memory");
  EXPECT_EQ(cell(rows, 25, "value"), "");
}

TEST(Csv, SaysWhichProcessARowIsFrom) {
  const auto rows = csv_of(support::gpu_document());
  EXPECT_EQ(cell(rows, 1, "repetition"), "0");
  EXPECT_EQ(cell(rows, rows.size() - 1, "repetition"), "1");
}

// Parameters of other programs may be called as this table's own columns are.
TEST(Csv, NoTwoColumnsHaveOneName) {
  Document document = example_document();
  document.cases.resize(1);
  const std::vector<std::string> own = csv_of(document)[0];
  for (const std::string& name : own) document.cases[0].configuration.set(name, "own " + name);
  document.cases[0].configuration.set("parameter_n", std::string("another"));
  const auto rows = csv_of(document);
  const std::set<std::string> headings(rows[0].begin(), rows[0].end());
  EXPECT_EQ(headings.size(), rows[0].size());
  EXPECT_EQ(cell(rows, 1, "parameter_device"), "own device");
  EXPECT_EQ(cell(rows, 1, "device"), "cpu");
  EXPECT_EQ(cell(rows, 1, "parameter_n"), "own n");
  EXPECT_EQ(cell(rows, 1, "parameter_parameter_n"), "another");
  EXPECT_EQ(cell(rows, 1, "repetition"), "0");
}

TEST(Csv, QuotesSurvive) {
  Document document = example_document();
  document.run.label = "a, \"b\"";
  EXPECT_EQ(cell(csv_of(document), 1, "label"), "a, \"b\"");
}

TEST(Csv, TextNeverActsAsAFormula) {
  Document document = example_document();
  for (const std::string label : {"=HYPERLINK(\"http://x\")", "+1+1", "-1+1", "@SUM(A1)", "-inf()"}) {
    document.run.label = label;
    EXPECT_EQ(cell(csv_of(document), 1, "label"), "'" + label);
  }
  document.run.label = "\t=1+1";
  EXPECT_EQ(cell(csv_of(document), 1, "label"), "?=1+1");
  document.cases[0].configuration.set("=evil()", "=x()");
  EXPECT_EQ(cell(csv_of(document), 1, "'=evil()"), "'=x()");
}

TEST(Csv, NegativeNumbersStayNumbers) {
  Document document = example_document();
  document.cases[0].configuration.set("lr", -0.5);
  document.cases[0].summaries[0].value = -2;
  EXPECT_EQ(cell(csv_of(document), 1, "lr"), "-0.5");
  EXPECT_EQ(cell(csv_of(document), 1, "value"), "-2");
}

TEST(Csv, NumbersOfACaseThatIsNotOkAreNotWritten) {
  Document document = example_document();
  document.cases.resize(1);
  document.cases[0].status = Status::incorrect;
  EXPECT_EQ(csv_of(document).size(), 2U);
}

TEST(Csv, OfNoCasesIsItsHeading) {
  EXPECT_EQ(csv_of(support::empty_document()).size(), 1U);
}

}  // namespace
}  // namespace bench::reports
