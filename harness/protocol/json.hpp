#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "harness/core/document.hpp"
#include "harness/protocol/message.hpp"

// The JSON form of the nouns and of the messages. Counts stay integers above 2^53; NaN and infinity are never written.
namespace bench::protocol {

// One line without its newline.
std::string to_line(const Command& command);
std::string to_line(const Event& event);

// Throws Error(internal) that quotes the line's beginning and says what is wrong with it.
Command command_from_line(std::string_view line);
Event event_from_line(std::string_view line);

// ordered: members appear in the order in which the structs declare them.
nlohmann::ordered_json to_json(const CaseResult& result);
nlohmann::ordered_json to_json(const Document& document);  // cases included
nlohmann::ordered_json to_json(const Case& configuration);

// Throw Error(usage) that names the member at fault ("cases[3].samples[0].host_ns: expected an integer").
CaseResult case_result_from_json(const nlohmann::ordered_json& json, const std::string& where);
Document document_from_json(const nlohmann::ordered_json& json, const std::string& where);
Case case_from_json(const nlohmann::ordered_json& json, const std::string& where);

}  // namespace bench::protocol
