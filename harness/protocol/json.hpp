#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "harness/core/document.hpp"
#include "harness/protocol/message.hpp"

// The JSON form of the nouns and of the messages. Counts stay integers above 2^53; NaN and infinity are never
// written (README.md says what stands for them); bytes that are no UTF-8 are written as U+FFFD.
namespace bench::protocol {

// ---- messages: one line each, without its newline -----------------------------------------------

std::string to_line(const Command& command);
std::string to_line(const Event& event);

// Throws Error(internal) that quotes the line's beginning and says what is wrong with it. A member that the
// message does not have is refused: both ends come from one tree, so it is a misspelling.
Command command_from_line(std::string_view line);
Event event_from_line(std::string_view line);

// ---- text ---------------------------------------------------------------------------------------

// Parses text of unknown origin. Throws Error(usage) with `where`, line and column; refuses more than 100
// levels of nesting and more than 10,000 members in one object. `where` is what messages begin with: a path.
nlohmann::ordered_json parse(std::string_view text, const std::string& where);

// The same, but the objects in the array `streamed` at the top are given to `visit` one at a time, with what
// was read before them and their index, and are not in the result: a long document takes the memory of one of
// them.
using Visitor = std::function<void(const nlohmann::ordered_json& before,
                                   const nlohmann::ordered_json& element, std::size_t index)>;
nlohmann::ordered_json parse_streaming(std::string_view text, const std::string& where,
                                       std::string_view streamed, const Visitor& visit);

// indent < 0: one line. Never throws: invalid UTF-8 becomes U+FFFD. What changes the direction of text is
// escaped (U+202A..U+202E, U+2066..U+2069), so that a file reads in the order in which it is.
std::string dump(const nlohmann::ordered_json& json, int indent = -1);

// ---- documents ----------------------------------------------------------------------------------

// ordered: members appear in the order in which the structs declare them.
nlohmann::ordered_json to_json(const CaseResult& result);
nlohmann::ordered_json to_json(const Document& document);   // cases included
nlohmann::ordered_json to_json(const Case& configuration);  // {id, workload, parameters}

// Throw Error(usage) that names the member at fault ("run.json: cases[3].samples[0].host_ns: expected an
// integer, found a string"). Members that this version does not know are ignored; a required one that is
// missing is an error. A case's `id` is not read: it follows from its parameters.
CaseResult case_result_from_json(const nlohmann::ordered_json& json, const std::string& where);
Document document_from_json(const nlohmann::ordered_json& json, const std::string& where);
Case case_from_json(const nlohmann::ordered_json& json, const std::string& where);

// ---- journal: what a run leaves on disk while it runs, one line a case --------------------------

// {"kind":"run", ...}: everything but the cases. The first line, without its newline.
std::string journal_header_line(const Document& document);
// {"kind":"case", ...}: each further line.
std::string journal_case_line(const CaseResult& result);

// Whether it is no JSON: a kill or a power failure ended its writing. What is lost of it may read as zeros,
// with its newline behind them.
bool is_torn(std::string_view line);

// A last line that is torn is left out, and `notes` (may be nullptr) says so. Other damage throws
// Error(usage) with the line's number and the remedy. Of a case that is there twice the later line counts, in
// the place of the earlier; of several run lines (a part that went on elsewhere writes its own) the last. The
// result's run.complete is false: who finishes a run writes run.json.
Document document_from_journal(std::istream& journal, const std::string& where,
                               std::vector<std::string>* notes);

}  // namespace bench::protocol
