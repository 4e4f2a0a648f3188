#include "harness/protocol/quick_parse.hpp"

#include <algorithm>

#include <rapidjson/document.h>

namespace bench::protocol {
namespace {

constexpr int kMaximumDepth = 20;             // ours has 6, and parse() refuses above 100
constexpr std::size_t kMaximumMembers = 100;  // names are compared with each other

bool is_plain(const rapidjson::Value& json, int depth) {
  if (!json.IsObject() && !json.IsArray()) return true;
  if (depth >= kMaximumDepth) return false;
  if (json.IsArray())
    return std::all_of(json.Begin(), json.End(),
                       [&](const rapidjson::Value& element) { return is_plain(element, depth + 1); });
  if (json.MemberCount() > kMaximumMembers) return false;
  for (auto member = json.MemberBegin(); member != json.MemberEnd(); ++member) {
    for (auto before = json.MemberBegin(); before != member; ++before)
      if (before->name == member->name) return false;
    if (!is_plain(member->value, depth + 1)) return false;
  }
  return true;
}

}  // namespace

struct QuickParser::Memory {
  rapidjson::MemoryPoolAllocator<> pool;
  rapidjson::Document document{&pool};
};

QuickParser::QuickParser() : memory_(std::make_unique<Memory>()) {}
QuickParser::~QuickParser() = default;

const rapidjson::Value* QuickParser::parse(std::string_view text) {
  // RapidJSON takes a NUL for the end, and an escaped half of a surrogate pair for a character.
  if (text.find('\0') != text.npos || text.find("\\u") != text.npos) return nullptr;
  rapidjson::Document& document = memory_->document;
  document.SetNull();
  memory_->pool.Clear();
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseFullPrecisionFlag;
  document.Parse<kFlags>(text.data(), text.size());
  return !document.HasParseError() && is_plain(document, 0) ? &document : nullptr;
}

}  // namespace bench::protocol
