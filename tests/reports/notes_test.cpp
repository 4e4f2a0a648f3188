#include "reports/notes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/example_document.hpp"

namespace bench::reports {
namespace {

// So many cases that are ok, which differ in their context: 1, 2, 3, ...
Document document_of(int cases) {
  Document document = support::example_document();
  const CaseResult one = document.cases.front();
  document.cases.clear();
  for (int context = 1; context <= cases; ++context) {
    document.cases.push_back(one);
    document.cases.back().configuration.set("context", std::int64_t{context});
    document.cases.back().warnings.clear();
    document.cases.back().notes.clear();
  }
  return document;
}

std::vector<std::string> warnings_of(const Document& document) {
  std::vector<std::string> warnings = notes_of(document);
  std::erase_if(warnings, [](const std::string& note) { return !note.starts_with("warning: "); });
  return warnings;
}

TEST(Notes, WhatIsTrueOfSeveralCasesIsSaidOnceWithTheFirstOfThem) {
  Document document = document_of(6);
  for (int i = 0; i < 5; ++i) document.cases[std::size_t(i)].warnings = {said("too few samples")};
  EXPECT_EQ(
      warnings_of(document),
      std::vector<std::string>{"warning: too few samples (context:1, context:2, context:3 and 2 more)"});
  document.cases[5].warnings = {said("too few samples")};
  EXPECT_EQ(warnings_of(document), std::vector<std::string>{"warning: too few samples (all cases)"});
}

Remark stolen(double ns) {
  return remark(RemarkCode::time_stolen, {{"stolen_ns", ns}});
}

TEST(Notes, ManyRemarksOfOneCodeAreOneLine) {
  Document document = document_of(5);
  const auto warn = [&](std::size_t cases) {
    for (std::size_t i = 0; i < cases; ++i) document.cases[i].warnings = {stolen(1e6 * double(i + 1))};
  };
  warn(3);
  EXPECT_EQ(warnings_of(document).size(), 3u);
  warn(4);
  document.cases[4].warnings = {remark(RemarkCode::quota_reached, {{"periods", 2}})};
  EXPECT_EQ(
      warnings_of(document),
      (std::vector<std::string>{"warning: " + stolen(1e6).text +
                                    " (context:1); the same was seen, with other numbers, in 3 more cases",
                                "warning: " + document.cases[4].warnings[0].text + " (context:5)"}));
}

TEST(Notes, WhatAWorkerSaysIsNeverFolded) {
  Document document = document_of(5);
  for (std::size_t i = 0; i < 5; ++i) document.cases[i].warnings = {said("kernel " + std::to_string(i))};
  EXPECT_EQ(warnings_of(document).size(), 5u);
}

TEST(Notes, CasesWithoutAResultAreListedByTheirReason) {
  Document document = document_of(7);
  for (std::size_t i = 0; i < 5; ++i) {
    document.cases[i].status = Status::skipped;
    document.cases[i].reason = said("needs bf16");
  }
  document.cases[5].status = Status::out_of_memory;
  document.cases[5].reason = said("8.00 GiB asked for");
  EXPECT_EQ(problems_of(document),
            (std::vector<std::string>{"context:1, context:2, context:3 and 2 more: skipped: needs bf16",
                                      "context:6: out of memory: 8.00 GiB asked for"}));
}

}  // namespace
}  // namespace bench::reports
