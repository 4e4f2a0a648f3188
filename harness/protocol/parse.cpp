#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/protocol/json.hpp"

namespace bench::protocol {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMaximumDepth = 100;       // ours has 6; readers and destructors may recurse
constexpr std::size_t kMaximumMembers = 10'000;  // an ordered object takes quadratic time to build
constexpr std::size_t kMaximumMessage = 300;  // the library quotes the offending token, whatever its length

// Refuses what only a hostile text holds, before anything is built from it. A look at brackets, colons and
// quotes alone: the library's callback parser looks at all of an array again after each of its objects, which
// is quadratic, and reading every token twice doubles what reading a long journal takes. Whether it is JSON
// at all is the parser's business.
void refuse_beyond_limits(std::string_view text, const std::string& where) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorKind::usage, printable(where) + ": refused: " + reason + "; bench never wrote this");
  };
  std::vector<std::size_t> members;  // of each open object or array
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i)
          if (text[i] == '\\') ++i;
        break;
      case '{':
      case '[':
        if (members.size() >= kMaximumDepth)
          refuse(fmt::format("it nests deeper than {} levels", kMaximumDepth));
        members.push_back(0);
        break;
      case '}':
      case ']':
        if (!members.empty()) members.pop_back();
        break;
      case ':':
        if (!members.empty() && ++members.back() > kMaximumMembers)
          refuse(fmt::format("one object has more than {} members", kMaximumMembers));
        break;
      default:
        break;
    }
  }
}

// "[json.exception.parse_error.101] parse error at line 3, column 5: ..." -> "line 3, column 5: ..."
std::string without_prefixes(std::string_view message) {
  if (const auto end = message.find("] "); message.starts_with('[') && end != message.npos) {
    message.remove_prefix(end + 2);
  }
  constexpr std::string_view kPrefix = "parse error at ";
  if (message.starts_with(kPrefix)) message.remove_prefix(kPrefix.size());
  return printable(message.substr(0, kMaximumMessage)) + (message.size() > kMaximumMessage ? "..." : "");
}

}  // namespace

ordered_json parse(std::string_view text, const std::string& where) {
  refuse_beyond_limits(text, where);
  try {
    return ordered_json::parse(text);
  } catch (const ordered_json::exception& error) {
    throw Error(ErrorKind::usage, printable(where) + ": not valid JSON: " + without_prefixes(error.what()));
  }
}

std::string dump(const ordered_json& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
}

}  // namespace bench::protocol
