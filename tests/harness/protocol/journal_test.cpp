#include <sstream>

#include <gtest/gtest.h>

#include "harness/protocol/json.hpp"
#include "tests/support/example_document.hpp"
#include "tests/support/expect_error.hpp"

namespace bench::protocol {
namespace {

using support::error_of;
using support::example_document;

std::string journal_of(const Document& document) {
  std::string text = journal_header_line(document) + "\n";
  for (const CaseResult& result : document.cases) text += journal_case_line(result) + "\n";
  return text;
}

Document read(const std::string& text, std::vector<std::string>* notes = nullptr) {
  std::istringstream stream(text);
  return document_from_journal(stream, "cases.jsonl", notes);
}

TEST(Journal, GivesTheDocumentBackAsIncomplete) {
  Document expected = example_document();
  std::vector<std::string> notes;
  const Document document = read(journal_of(expected), &notes);
  expected.run.complete = false;
  EXPECT_EQ(document, expected);
  EXPECT_TRUE(notes.empty());
}

TEST(Journal, LinesHaveNoNewlineAndSayTheirKind) {
  const Document document = example_document();
  EXPECT_EQ(journal_header_line(document).rfind(
                R"({"kind":"run","schema_version":2,"method_version":1,"run":{)", 0),
            0U);
  EXPECT_EQ(journal_case_line(document.cases[0]).rfind(R"({"kind":"case","id":"model/size:small/)", 0), 0U);
  EXPECT_EQ(journal_of(document).find("\n\n"), std::string::npos);
}

TEST(Journal, IsReadWhereverAKillCutsIt) {
  const Document whole = example_document();
  const std::string text = journal_of(whole);
  const std::size_t header_end = text.find('\n');
  for (std::size_t length = header_end; length < text.size(); length += 37) {
    std::vector<std::string> notes;
    const Document document = read(text.substr(0, length), &notes);
    const auto lines = static_cast<std::size_t>(
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
    // A line that lacks only its newline is whole.
    EXPECT_TRUE(document.cases.size() + 1 == lines || (notes.empty() && document.cases.size() <= lines))
        << length;
    EXPECT_LE(notes.size(), 1U);
  }
}

TEST(Journal, ATornLastLineIsLeftOutWithANote) {
  const std::string text = journal_of(example_document());
  std::vector<std::string> notes;
  const Document document = read(text.substr(0, text.size() - 20), &notes);
  EXPECT_EQ(document.cases.size(), example_document().cases.size() - 1);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "cases.jsonl: line 6 is torn (the run was killed while writing it) and is left out");
  EXPECT_NO_THROW(read(text.substr(0, text.size() - 20)));  // without a place for notes
}

TEST(Journal, ZerosAfterALostPowerSupplyAreATornLine) {
  std::vector<std::string> notes;
  EXPECT_EQ(read(journal_of(example_document()) + std::string(4096, '\0'), &notes).cases.size(), 5U);
  EXPECT_EQ(notes.size(), 1U);
}

TEST(Journal, DamageInTheMiddleNamesTheLine) {
  Document document = example_document();
  const std::string good = journal_case_line(document.cases[0]);
  const std::string text = journal_header_line(document) + "\n" + good.substr(0, 50) + "\n" + good + "\n";
  const std::string refusal = error_of(ErrorKind::usage, [&] { read(text); });
  EXPECT_EQ(refusal.rfind("cases.jsonl: line 2: not valid JSON: line 1, column ", 0), 0U) << refusal;
  EXPECT_TRUE(
      refusal.ends_with("; taking that line out of the file costs one case, which `bench run --resume` "
                        "measures again"))
      << refusal;
}

TEST(Journal, AWrongMemberNamesTheLineAndTheMember) {
  const std::string header = journal_header_line(example_document()) + "\n";
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { read(header + R"({"kind":"case","workload":3})" + "\n"); }),
            "cases.jsonl: line 2: workload: expected a string, found the number 3");
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { read(header + R"({"kind":"cake"})"); }),
            "cases.jsonl: line 2: kind: expected \"case\", found \"cake\"");
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { read(R"({"kind":"case"})"); }),
            "cases.jsonl: line 1: kind: expected \"run\", found \"case\"");
}

TEST(Journal, AnEmptyOneIsAnError) {
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { read(""); }),
            "cases.jsonl is empty: the run ended before it had begun");
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { read("\n\n"); }),
            "cases.jsonl is empty: the run ended before it had begun");
}

TEST(Journal, ANewerSchemaIsRefused) {
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { read(R"({"kind":"run","schema_version":9})"); }),
            "cases.jsonl: line 1: written by a newer bench (schema 9; this one reads 2): update this bench");
}

TEST(Journal, OfACaseThatIsThereTwiceTheLaterCounts) {
  Document document = example_document();
  CaseResult again = document.cases[1];
  again.status = Status::failed;
  again.reason = said("second attempt");
  const Document read_back = read(journal_of(document) + journal_case_line(again) + "\n");
  ASSERT_EQ(read_back.cases.size(), document.cases.size());
  EXPECT_EQ(read_back.cases[1], again);
}

TEST(Journal, OfSeveralRunLinesTheLastCountsAndNoCaseIsLost) {
  Document document = example_document();
  Document elsewhere = document;
  elsewhere.conditions["resumed_with"] = "CPU: slow, was fast";
  const Document read_back = read(journal_of(document) + journal_header_line(elsewhere) + "\n" +
                                  journal_case_line(document.cases[0]) + "\n");
  EXPECT_EQ(read_back.conditions, elsewhere.conditions);
  EXPECT_EQ(read_back.cases, document.cases);
}

TEST(Journal, KeepsEachRepetitionOfACase) {
  Document document = example_document();
  document.cases.push_back(document.cases[1]);
  document.cases.back().repetition = 1;
  EXPECT_EQ(read(journal_of(document)).cases, document.cases);
}

}  // namespace
}  // namespace bench::protocol
