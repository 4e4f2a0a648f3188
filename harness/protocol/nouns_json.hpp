#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/core/document.hpp"
#include "harness/protocol/reader.hpp"

// The nouns that messages and documents share, and what the readers of documents do. Not for other folders.
namespace bench::protocol {

nlohmann::ordered_json value_to_json(const Value& value);
nlohmann::ordered_json to_json(const Sample& sample);
nlohmann::ordered_json to_json(const Check& check);
nlohmann::ordered_json to_json(const MemoryReport& memory);
nlohmann::ordered_json to_json(const std::vector<Sample>& samples);
// A string that is a key twice keeps one member; values that are not finite are left out.
nlohmann::ordered_json to_json(const std::map<std::string, double>& values);
nlohmann::ordered_json to_json(const std::map<std::string, std::string>& values);

// `name` of the object `member`.
Value value_from(const Reader& reader, std::string_view member, const std::string& name,
                 const nlohmann::ordered_json& json);
Case case_from(const Reader& reader);
Sample sample_from(const Reader& reader);
std::vector<Sample> samples_from(const Reader& reader, std::string_view name);
Check check_from(const Reader& reader);
MemoryReport memory_from(const Reader& reader);
CacheState cache_from(const Reader& reader);
Timing timing_from(const Reader& reader);
Status status_from(const Reader& reader);

CaseResult case_result_from(const Reader& reader);

// A document without its cases.
void add_head(nlohmann::ordered_json& json, const Document& document);
Document head_from(const Reader& reader);
void refuse_newer(const Reader& reader);  // a schema of a later version

// A case may be in a document once a repetition.
class SeenCases {
 public:
  bool add(const CaseResult& result) {
    return seen_.emplace(result.configuration.id(), result.repetition).second;
  }
  void require_new(const CaseResult& result, const Reader& reader) {
    if (!add(result))
      reader.fail("", fmt::format("the case {} was there already", result.configuration.id()));
  }

 private:
  std::set<std::pair<std::string, int>> seen_;
};

}  // namespace bench::protocol
