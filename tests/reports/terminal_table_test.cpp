#include <gtest/gtest.h>

#include "harness/core/text.hpp"
#include "reports/results_table.hpp"
#include "reports/terminal_table.hpp"
#include "tests/support/example_document.hpp"

namespace bench::reports {
namespace {

Table small_table() {
  return {.title = "model on cpu",
          .common = {"context 256"},
          .columns = {{"size", "", Alignment::left}, {"step", "ms"}, {"peak allocated", "MiB"}},
          .key_columns = 1,
          .rows = {{"small", "3487 ± 21", "1"}, {"xl", "12 ± 9", "–"}, {"7B", "5", "20"}},
          .problems = {},
          .notes = {}};
}

TEST(TerminalTable, ColumnsAndPlusMinusStandBelowEachOther) {
  EXPECT_EQ(terminal_table(small_table()),
            "model on cpu · context 256\n"
            "\n"
            "                       peak\n"
            "            step  allocated\n"
            "size          ms        MiB\n"
            "-----  ---------  ---------\n"
            "small  3487 ± 21          1\n"
            "xl       12 ±  9          –\n"
            "7B        5              20\n");
}

TEST(TerminalTable, ATableThatIsTooWideGoesOnBelowWithItsKeys) {
  EXPECT_EQ(terminal_table(small_table(), 20),
            "model on cpu\n"
            "  context 256\n"
            "\n"
            "            step\n"
            "size          ms\n"
            "-----  ---------\n"
            "small  3487 ± 21\n"
            "xl       12 ±  9\n"
            "7B        5\n"
            "\n"
            "            peak\n"
            "       allocated\n"
            "size         MiB\n"
            "-----  ---------\n"
            "small          1\n"
            "xl             –\n"
            "7B            20\n");
}

TEST(TerminalTable, OfTheModelFitsATerminal) {
  const std::string text = terminal_table(results_table(support::example_document()));
  for (const std::string& line : split(text.substr(0, text.find("\nsize:")), '\n')) {
    EXPECT_LE(display_width(line), 120U) << line;
    EXPECT_EQ(line, line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

TEST(TerminalTable, NothingInItActsOnTheTerminal) {
  Table table = small_table();
  const std::string hostile = "\x1b[31m\n\t\x07\xc2\x9b\xff\u202e\u2066";
  table.title = table.common[0] = table.columns[0].heading = table.rows[0][0] = hostile;
  table.problems = table.notes = {hostile};
  const std::string text = terminal_table(table);
  EXPECT_EQ(text.find_first_of("\x1b\t\x07\xff"), std::string::npos);
  for (const char* hidden : {"\xc2\x9b", "\u202e", "\u2066"}) EXPECT_EQ(text.find(hidden), std::string::npos);
}

TEST(TerminalTable, OfNoCasesSaysSo) {
  const std::string text = terminal_table(results_table(support::empty_document()));
  EXPECT_EQ(text,
            "model on cpu\n\nno case was measured\n\nthe run is incomplete: 0 of 1 planned cases are here\n");
}

}  // namespace
}  // namespace bench::reports
