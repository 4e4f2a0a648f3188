#include <algorithm>

#include <gtest/gtest.h>

#include "harness/core/text.hpp"
#include "reports/formats.hpp"
#include "tests/support/example_document.hpp"

namespace bench::reports {
namespace {

using support::example_document;

std::string markdown_of(const Document& document) {
  return format_named("markdown").render(document);
}

// Cells of the line that begins with `| start`, counted as GitHub does: an escaped | ends none.
std::size_t cells_in_line(const std::string& text, const std::string& start) {
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with("| " + start)) continue;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    return bars - 1;
  }
  ADD_FAILURE() << "no line begins with | " << start;
  return 0;
}

TEST(Markdown, EveryRowHasAsManyCellsAsTheHeading) {
  Document document = example_document();
  document.cases[0].configuration.set("size", "s|m\\|a\nll");
  const std::string text = markdown_of(document);
  EXPECT_EQ(cells_in_line(text, "size |"), cells_in_line(text, "s\\|m"));
  EXPECT_NE(text.find("| s\\|m\\\\\\|a?ll |"), std::string::npos);
}

TEST(Markdown, TextStaysText) {
  Document document = example_document();
  document.cases[3].reason =
      said("<img src=x onerror=alert(1)> *a* `b` [c](d) _e_ f_g ~h~ $i$ & @lead \x1b[2J");
  const std::string text = markdown_of(document);
  EXPECT_NE(
      text.find(
          "&lt;img src=x onerror=alert(1)&gt; \\*a\\* \\`b\\` \\[c\\](d) \\_e\\_ f_g \\~h\\~ &#36;i&#36; "
          "&amp; @&#8203;lead ?\\[2J"),
      std::string::npos)
      << text;
}

TEST(Markdown, AHostileLabelIsCode) {
  Document document = example_document();
  document.run.label = "``` <b>|\n# x";
  EXPECT_NE(markdown_of(document).find("\nLabel: ```` ``` <b>|?# x ````\n"), std::string::npos);
  document.run.label = "plain";
  EXPECT_NE(markdown_of(document).find("\nLabel: `plain`\n"), std::string::npos);
  document.run.label.clear();
  EXPECT_EQ(markdown_of(document).find("Label"), std::string::npos);
}

TEST(Markdown, TheCommandCanBePastedIntoAShell) {
  Document document = example_document();
  document.run.argv = {"bench", "run", "model", "--label", "it's 5 $HOME", ""};
  EXPECT_NE(markdown_of(document).find("`bench run model --label 'it'\\''s 5 $HOME' ''`"), std::string::npos);
}

TEST(Markdown, OfNoCasesSaysSo) {
  EXPECT_NE(markdown_of(support::empty_document()).find("\nNo case was measured.\n"), std::string::npos);
}

}  // namespace
}  // namespace bench::reports
