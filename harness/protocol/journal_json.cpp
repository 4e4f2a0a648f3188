#include <istream>
#include <map>
#include <variant>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/protocol/in_parts.hpp"
#include "harness/protocol/json.hpp"
#include "harness/protocol/nouns_json.hpp"

namespace bench::protocol {

using nlohmann::ordered_json;

std::string journal_header_line(const Document& document) {
  ordered_json json{{"kind", "run"}};
  add_head(json, document);
  return dump(json);
}

std::string journal_case_line(const CaseResult& result) {
  ordered_json json{{"kind", "case"}};
  json.update(to_json(result));
  return dump(json);
}

bool is_torn(std::string_view line) try {
  parse(line, "");
  return false;
} catch (const Error&) {
  return true;
}

namespace {

struct Line {
  std::string text;
  std::size_t number = 0;  // from 1
};

// Those with anything on them.
std::vector<Line> lines_of(std::istream& journal) {
  std::vector<Line> lines;
  Line line;
  while (std::getline(journal, line.text)) {
    ++line.number;
    if (line.text.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(line);
  }
  return lines;
}

struct NoJson {};  // a torn line, if it is the last one
using Entry = std::variant<NoJson, CaseResult, Document>;

enum class Place { first, between, last };

Entry entry_from(const Line& line, const std::string& where, Place place) {
  const std::string here = fmt::format("{}: line {}", where, line.number);
  ordered_json json;
  try {
    json = parse(line.text, here);
  } catch (const Error& error) {
    if (place == Place::last) return NoJson{};
    if (place == Place::first) throw;
    throw Error(error.kind(), fmt::format("{}; taking that line out of the file costs one case, which "
                                          "`bench run --resume` measures again",
                                          error.what()));
  }
  const Reader reader(json, here);
  const std::string& kind = reader.text("kind");
  if (kind == "run") return head_from(reader);
  if (kind == "case" && place != Place::first) return case_result_from(reader);
  reader.fail("kind",
              fmt::format("expected \"{}\", found \"{}\"", place == Place::first ? "run" : "case", kind));
}

// Of all lines, in order, by all processors: a journal of 10,000 cases has 40 MB.
std::vector<Entry> entries_of(const std::vector<Line>& lines, const std::string& where) {
  std::vector<Entry> entries(lines.size());
  in_parts(lines.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Place place = i == 0 ? Place::first : i + 1 == lines.size() ? Place::last : Place::between;
      entries[i] = entry_from(lines[i], where, place);
    }
  });
  return entries;
}

}  // namespace

Document document_from_journal(std::istream& journal, const std::string& where,
                               std::vector<std::string>* notes) {
  const std::vector<Line> lines = lines_of(journal);
  if (lines.empty())
    throw Error(ErrorKind::usage, printable(where) + " is empty: the run ended before it had begun");

  Document document;
  std::map<std::pair<std::string, int>, std::size_t> index_of;  // by id and repetition
  std::size_t number = 0;
  for (Entry& entry : entries_of(lines, where)) {
    const std::string here = fmt::format("{}: line {}", printable(where), lines[number++].number);
    if (auto* head = std::get_if<Document>(&entry)) {
      head->cases = std::move(document.cases);
      document = std::move(*head);
    } else if (auto* result = std::get_if<CaseResult>(&entry)) {
      const auto [known, is_new] =
          index_of.emplace(std::pair(result->configuration.id(), result->repetition), document.cases.size());
      if (is_new)
        document.cases.push_back(std::move(*result));
      else
        document.cases[known->second] = std::move(*result);
    } else if (notes != nullptr) {
      notes->push_back(here + " is torn (the run was killed while writing it) and is left out");
    }
  }
  document.run.complete = false;
  return document;
}

}  // namespace bench::protocol
