#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/core/result.hpp"
#include "harness/protocol/reader.hpp"

// The nouns that messages and documents share. Not for other folders.
namespace bench::protocol {

nlohmann::ordered_json to_json(const Sample& sample);
nlohmann::ordered_json to_json(const Check& check);
nlohmann::ordered_json to_json(const MemoryReport& memory);
nlohmann::ordered_json to_json(const std::vector<Sample>& samples);
// A string that is a key twice keeps one member; values that are not finite are left out.
nlohmann::ordered_json to_json(const std::map<std::string, double>& values);
nlohmann::ordered_json to_json(const std::map<std::string, std::string>& values);

Case case_from(const Reader& reader);
Sample sample_from(const Reader& reader);
std::vector<Sample> samples_from(const Reader& reader, std::string_view name);
Check check_from(const Reader& reader);
MemoryReport memory_from(const Reader& reader);
CacheState cache_from(const Reader& reader);
Timing timing_from(const Reader& reader);
Status status_from(const Reader& reader);

CaseResult case_result_from(const Reader& reader);

}  // namespace bench::protocol
