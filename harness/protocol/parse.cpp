#include <functional>
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

constexpr int kMaximumDepth = 100;               // ours has 6; readers and destructors may recurse
constexpr std::size_t kMaximumMembers = 10'000;  // an ordered object takes quadratic time to build
constexpr std::size_t kMaximumMessage = 300;  // the library quotes the offending token, whatever its length

// Stops a hostile text while it is parsed, before its tree exists.
class Limits {
 public:
  explicit Limits(const std::string& where) : where_(where) {}

  bool operator()(int depth, ordered_json::parse_event_t event, ordered_json& /*parsed*/) {
    const auto level = static_cast<std::size_t>(depth);
    if (event == ordered_json::parse_event_t::object_start ||
        event == ordered_json::parse_event_t::array_start) {
      if (depth >= kMaximumDepth) {
        refuse(fmt::format("it nests deeper than {} levels", kMaximumDepth));
      }
      members_.resize(level + 2);
      members_[level + 1] = 0;  // keys are reported one level inside their object
    } else if (event == ordered_json::parse_event_t::key && ++members_[level] > kMaximumMembers) {
      refuse(fmt::format("one object has more than {} members", kMaximumMembers));
    }
    return true;
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorKind::usage, printable(where_) + ": refused: " + reason + "; bench never wrote this");
  }

  const std::string& where_;
  std::vector<std::size_t> members_;
};

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
  try {
    Limits limits(where);
    return ordered_json::parse(text, std::ref(limits));
  } catch (const ordered_json::exception& error) {
    throw Error(ErrorKind::usage, printable(where) + ": not valid JSON: " + without_prefixes(error.what()));
  }
}

std::string dump(const ordered_json& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
}

}  // namespace bench::protocol
