#include "reports/load.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/protocol/json.hpp"
#include "reports/formats.hpp"
#include "tests/support/example_document.hpp"
#include "tests/support/expect_error.hpp"

namespace bench::reports {
namespace {

namespace fs = std::filesystem;
using support::error_of;
using support::example_document;

class Load : public testing::Test {
 protected:
  Load() {
    folder_ = fs::temp_directory_path() / ("bench-load-" + std::to_string(getpid()) + "-" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Load() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  void write_run(const Document& document) const { write("run.json", format_named("json").render(document)); }
  void write_journal(const Document& document, const std::string& tail = "") const {
    std::string text = protocol::journal_header_line(document) + "\n";
    for (const CaseResult& result : document.cases) text += protocol::journal_case_line(result) + "\n";
    write("cases.jsonl", text + tail);
  }
  std::string path(const std::string& name = "") const { return (folder_ / name).string(); }
  std::string refusal(const std::string& of) const {
    return error_of(ErrorKind::usage, [&] { load_document(of); });
  }

  fs::path folder_;
};

TEST_F(Load, ARunDirectoryAndItsFilesAreTheSameRun) {
  write_run(example_document());
  EXPECT_EQ(load_document(folder_.string()), example_document());
  EXPECT_EQ(load_document(path("run.json")), example_document());
}

TEST_F(Load, AKilledRunIsItsJournal) {
  write_journal(example_document(), "{\"kind\":\"case\",\"id");
  std::vector<std::string> notes;
  Document expected = example_document();
  expected.run.complete = false;
  EXPECT_EQ(load_document(folder_.string(), &notes), expected);
  EXPECT_EQ(load_document(path("cases.jsonl")), expected);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].find(path("cases.jsonl") + ": line 7 is torn"), 0U) << notes[0];
}

TEST_F(Load, ACompleteRunJsonIsTaken) {
  write_run(example_document());
  write("cases.jsonl", "damaged");
  EXPECT_EQ(load_document(folder_.string()), example_document());
}

TEST_F(Load, AnInterruptedRunThatWentOnIsItsJournal) {
  Document earlier = example_document();
  earlier.run.complete = false;
  Document later = earlier;
  earlier.cases.resize(2);
  write_run(earlier);
  write_journal(later);
  EXPECT_EQ(load_document(folder_.string()).cases, later.cases);
}

TEST_F(Load, AnInterruptedRunKeepsItsEnd) {
  Document document = example_document();
  document.run.complete = false;
  write_run(document);
  Document beginning = document;
  beginning.run.end_utc.clear();
  write_journal(beginning);
  EXPECT_EQ(load_document(folder_.string()), document);
}

TEST_F(Load, TheJournalStandsInForADamagedRunJson) {
  write("run.json", "{\"schema_version\": 1,");
  write_journal(example_document());
  std::vector<std::string> notes;
  EXPECT_EQ(load_document(folder_.string(), &notes).cases, example_document().cases);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("cases.jsonl was read instead"), std::string::npos);
}

TEST_F(Load, WhatIsMissingNamesThePathAndTheRemedy) {
  EXPECT_EQ(refusal(path("nowhere")),
            "no run directory or file at " + path("nowhere") + "; `bench run` makes one");
  EXPECT_EQ(refusal(folder_.string()),
            folder_.string() +
                " is no run directory: it has neither run.json nor cases.jsonl; `bench run` makes one");
}

TEST_F(Load, ATruncatedFileNamesThePosition) {
  const std::string text = format_named("json").render(example_document());
  const std::string file = write("run.json", text.substr(0, text.size() / 2));
  EXPECT_EQ(refusal(file).rfind(file + ": not valid JSON: line ", 0), 0U);
  EXPECT_EQ(refusal(write("empty.json", "")).rfind(path("empty.json") + " is no file that bench reads: ", 0),
            0U);
}

TEST_F(Load, HostileFilesAreRefused) {
  EXPECT_NE(refusal(write("bomb.json", "{\"a\":" + std::string(5'000'000, '['))).find("nests deeper"),
            std::string::npos);
  for (const std::string& text : {std::string("{\"name\":{},\"list\":[]}"), std::string("[]"),
                                  std::string("\x7f"
                                              "ELF\0\x01\xff",
                                              7)})
    EXPECT_NE(refusal(write("other.json", text)).find("is no file that bench reads"), std::string::npos);
  EXPECT_NE(refusal("/dev/zero").find("is not a file"), std::string::npos);
}

TEST_F(Load, WhatIsWrongIsNamedWithItsPlace) {
  const std::string whole = format_named("json").render(example_document());
  const auto damaged = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    const std::string sentence = refusal(write("run.json", text));
    EXPECT_EQ(sentence.rfind(path("run.json") + ": ", 0), 0U) << sentence;
    EXPECT_EQ(sentence.find_first_of("\n\x1b"), std::string::npos) << sentence;
    return sentence.substr(path("run.json: ").size());
  };
  EXPECT_EQ(damaged("\"host_ns\": 3485000000", "\"host_ns\": NaN").rfind("not valid JSON: line ", 0), 0U);
  EXPECT_EQ(damaged("\"host_ns\": 3485000000", "\"host_ns\": \"3\""),
            "cases[0].samples[0].host_ns: expected an integer, found a string");
  EXPECT_EQ(damaged("\"host_ns\": 3485000000", "\"host_ns\": 1e400").rfind("not valid JSON: ", 0), 0U);
  EXPECT_EQ(damaged("\"status\": \"ok\"", "\"status\": \"\\u001b[31m\""),
            "cases[0].status: \"?[31m\" is none of ok, skipped, incorrect, out_of_memory, failed, timed_out, "
            "crashed");
  EXPECT_EQ(damaged("\"label\": \"a|b", "\"label\": \"\xff").rfind("not valid JSON: line ", 0), 0U);
  EXPECT_EQ(damaged("\"method_version\": 1", "\"method_version\": null"),
            "method_version: expected an integer, found null");
}

TEST_F(Load, ANewerSchemaIsSaidBeforeItsCasesAreRead) {
  const std::string file = write("run.json", "{\"schema_version\":99,\"cases\":[{\"new\":1}]}");
  EXPECT_EQ(refusal(file),
            file + ": written by a newer bench (schema 99; this one reads 2): update this bench");
}

TEST_F(Load, CasesMayStandBeforeTheRest) {
  const std::string whole = format_named("json").render(example_document());
  nlohmann::ordered_json json = protocol::parse(whole, "x"), turned;
  turned["cases"] = json["cases"];
  for (const auto& [name, value] : json.items()) turned[name] = value;
  EXPECT_EQ(load_document(write("run.json", protocol::dump(turned))), example_document());
}

// As bench wrote it a file is read quickly and in parts; laid out anew it is read from its beginning to its
// end.
TEST_F(Load, ALongRunIsTheSameHoweverItIsLaidOut) {
  Document document = example_document();
  const std::vector<CaseResult> few = document.cases;
  for (int repetition = 1; repetition < 300; ++repetition)
    for (CaseResult result : few) {
      result.repetition = repetition;
      result.reason = said(fmt::format("“{}”\\ \"\n\u202e", repetition));
      document.cases.push_back(result);
    }
  const std::string written = format_named("json").render(document);
  EXPECT_EQ(load_document(write("run.json", written)), document);
  EXPECT_EQ(load_document(write("anew.json", protocol::dump(protocol::parse(written, "x")))), document);
  write_journal(document);
  EXPECT_EQ(load_document(path("cases.jsonl")).cases, document.cases);
}

TEST_F(Load, OfALongRunTheFirstFaultIsNamedWithItsPlace) {
  Document document = example_document();
  const CaseResult first = document.cases[0];
  for (int repetition = 1; repetition < 2'000; ++repetition) {
    document.cases.push_back(first);
    document.cases.back().repetition = repetition;
    if (repetition == 700 || repetition == 1'900) document.cases.back().steps_per_sample = -1;
  }
  const std::size_t index = example_document().cases.size() + 699;
  const std::string file = write("run.json", format_named("json").render(document));
  EXPECT_EQ(refusal(file), fmt::format("{}: cases[{}].steps_per_sample: -1 is below 0", file, index));
}

TEST_F(Load, CasesOfANestedObjectAreNotTheRuns) {
  std::string text = format_named("json").render(example_document());
  text.insert(text.find("\n  \"cases\": ["), "\n\"other\": {");
  text.insert(text.size() - 2, "}");
  EXPECT_EQ(refusal(write("run.json", text)), path("run.json") + ": cases: missing");
}

TEST_F(Load, ACaseThatIsTwiceInARunIsRefused) {
  Document document = example_document();
  document.cases.push_back(document.cases[1]);
  const std::string file = write("run.json", format_named("json").render(document));
  EXPECT_EQ(refusal(file),
            file + ": cases[5]: the case " + document.cases[1].configuration.id() + " was there already");
}

TEST_F(Load, AHugeFileIsRefusedUnread) {
  for (const std::string name : {"huge.json", "huge.jsonl"}) {
    const std::string file = write(name, "{");
    fs::resize_file(file, (std::uintmax_t{2} << 30) + 1);  // sparse
    EXPECT_EQ(refusal(file), file + " has 2.00 GiB; bench reads runs up to 2.00 GiB");
  }
}

TEST_F(Load, AnUnreadableFileIsRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const std::string file = write("run.json", "{}");
  fs::permissions(file, fs::perms::none);
  EXPECT_EQ(refusal(file), file + " could not be read: Permission denied");
}

}  // namespace
}  // namespace bench::reports
