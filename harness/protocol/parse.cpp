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

// Reads a text without building anything and refuses what only a hostile one holds. A pass of its own: the
// library's callback parser looks at all of an array again after each of its objects, which is quadratic.
class Limits final : public nlohmann::json_sax<ordered_json> {
 public:
  explicit Limits(const std::string& where) : where_(where) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t&) override {
    if (++members_.back() > kMaximumMembers)
      refuse(fmt::format("one object has more than {} members", kMaximumMembers));
    return true;
  }
  // The parser that builds says what is wrong, with its place.
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool open() {
    if (members_.size() >= kMaximumDepth)
      refuse(fmt::format("it nests deeper than {} levels", kMaximumDepth));
    members_.push_back(0);
    return true;
  }
  bool close() {
    members_.pop_back();
    return true;
  }
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorKind::usage, printable(where_) + ": refused: " + reason + "; bench never wrote this");
  }

  const std::string& where_;
  std::vector<std::size_t> members_;  // of each open object or array
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
    ordered_json::sax_parse(text, &limits);
    return ordered_json::parse(text);
  } catch (const ordered_json::exception& error) {
    throw Error(ErrorKind::usage, printable(where) + ": not valid JSON: " + without_prefixes(error.what()));
  }
}

std::string dump(const ordered_json& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
}

}  // namespace bench::protocol
