#include "harness/protocol/document_text.hpp"

#include <optional>

#include "harness/core/error.hpp"
#include "harness/protocol/in_parts.hpp"
#include "harness/protocol/json.hpp"
#include "harness/protocol/nouns_json.hpp"

namespace bench::protocol {
namespace {

using nlohmann::ordered_json;

// The lines of a document that bench wrote: `head` up to the bracket that opens the cases, then each of them.
// They end the document.
struct Layout {
  std::string_view head;
  std::vector<std::string_view> cases;
};

// nullopt: another program's text, or one that somebody laid out anew. No JSON string holds a line's end, so
// that what begins and ends with these lines, and is an object by itself, is an element.
std::optional<Layout> layout_of(std::string_view text) {
  constexpr std::string_view kOpen = "\n  \"cases\": [\n", kBegin = "    {", kEnd = "\n    }";
  const std::size_t open = text.find(kOpen);
  if (open == text.npos) return std::nullopt;
  Layout layout{.head = text.substr(0, open + kOpen.size()), .cases = {}};
  text.remove_prefix(layout.head.size());
  while (text.starts_with(kBegin)) {
    const std::size_t end = text.find(kEnd);
    if (end == text.npos) return std::nullopt;
    layout.cases.push_back(text.substr(0, end + kEnd.size()));
    text.remove_prefix(end + kEnd.size());
    if (text == "\n  ]\n}\n") return layout;
    if (!text.starts_with(",\n")) return std::nullopt;
    text.remove_prefix(2);
  }
  return std::nullopt;
}

// All processors read cases. nullopt: something is unusual, and read_in_order() will say what.
std::optional<DocumentText> read_in_parts(std::string_view text, const std::string& where) try {
  const std::optional<Layout> layout = layout_of(text);
  if (!layout) return std::nullopt;
  DocumentText read;
  bool plain = true;
  // It parses only where the bracket belongs to a member of the document itself.
  read.head = parse_streaming(std::string(layout->head) + "]}", where, "cases",
                              [&](const ordered_json&, const ordered_json&, std::size_t) { plain = false; });
  refuse_newer(Reader(read.head, where));

  read.cases.resize(layout->cases.size());
  in_parts(layout->cases.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      read.cases[i] = case_result_from_json(parse(layout->cases[i], where), where);
  });
  SeenCases seen;
  for (const CaseResult& result : read.cases) plain = plain && seen.add(result);
  return plain ? std::optional(std::move(read)) : std::nullopt;
} catch (const Error&) {
  return std::nullopt;
}

DocumentText read_in_order(std::string_view text, const std::string& where) {
  DocumentText read;
  SeenCases seen;
  read.head = parse_streaming(
      text, where, "cases", [&](const ordered_json& before, const ordered_json& element, std::size_t index) {
        const Reader reader(before, where);
        if (index == 0 && reader.has("schema_version")) refuse_newer(reader);
        const Reader item = reader.item("cases", index, element);
        read.cases.push_back(case_result_from(item));
        seen.require_new(read.cases.back(), item);
      });
  return read;
}

}  // namespace

DocumentText read_document_text(std::string_view text, const std::string& where) {
  if (auto read = read_in_parts(text, where)) return std::move(*read);
  return read_in_order(text, where);
}

Document document_from_text(DocumentText&& text, const std::string& where) {
  Document document = document_from_json(text.head, where);  // its cases are what is no object
  document.cases = std::move(text.cases);
  return document;
}

}  // namespace bench::protocol
