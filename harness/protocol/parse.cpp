#include <string>
#include <utility>
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

// "[json.exception.parse_error.101] parse error at line 3, column 5: ..." -> "line 3, column 5: ..."
std::string without_prefixes(std::string_view message) {
  if (const auto end = message.find("] "); message.starts_with('[') && end != message.npos) {
    message.remove_prefix(end + 2);
  }
  constexpr std::string_view kPrefix = "parse error at ";
  if (message.starts_with(kPrefix)) message.remove_prefix(kPrefix.size());
  return printable(message.substr(0, kMaximumMessage)) + (message.size() > kMaximumMessage ? "..." : "");
}

// Builds the tree in one pass and refuses on the way what only a hostile text holds. Elements of one array at
// the top, if asked for, are handed over one at a time and not kept, so that a long document takes the memory
// of one of them.
class Builder final : public nlohmann::json_sax<ordered_json> {
 public:
  Builder(const std::string& where, std::string_view streamed, const Visitor* visit)
      : where_(where), streamed_(streamed), visit_(visit) {}

  ordered_json take() { return std::move(root_); }

  bool null() override { return place(nullptr); }
  bool boolean(bool value) override { return place(value); }
  bool number_integer(number_integer_t value) override { return place(value); }
  bool number_unsigned(number_unsigned_t value) override { return place(value); }
  bool number_float(number_float_t value, const string_t&) override { return place(value); }
  bool string(string_t& value) override { return place(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // no text has it
  bool start_object(std::size_t) override { return open(ordered_json::object()); }
  bool start_array(std::size_t) override { return open(ordered_json::array()); }
  bool end_array() override { return close(); }
  bool end_object() override {
    const bool handed_over = visit_ != nullptr && open_.size() == 3 && open_[1] == streamed_array_;
    if (handed_over) (*visit_)(root_, *open_.back(), count_++);
    close();
    if (handed_over) streamed_array_->get_ref<ordered_json::array_t&>().pop_back();
    return true;
  }
  bool key(string_t& name) override {
    auto& members = open_.back()->get_ref<ordered_json::object_t&>();
    if (members.size() >= kMaximumMembers)
      refuse(fmt::format("one object has more than {} members", kMaximumMembers));
    next_is_streamed_ = open_.size() == 1 && name == streamed_;
    slot_ = &members[std::move(name)];
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    throw Error(ErrorKind::usage, printable(where_) + ": not valid JSON: " + without_prefixes(error.what()));
  }

 private:
  // Where the next value goes: a pointer that stays valid while what is at it is open, as its parent does not
  // grow.
  ordered_json& put(ordered_json&& value) {
    if (open_.empty()) return root_ = std::move(value);
    if (!open_.back()->is_array()) return *slot_ = std::move(value);
    auto& elements = open_.back()->get_ref<ordered_json::array_t&>();
    elements.push_back(std::move(value));
    return elements.back();
  }
  template <typename T>
  bool place(T&& value) {
    put(ordered_json(std::forward<T>(value)));
    return true;
  }
  bool open(ordered_json&& container) {
    if (open_.size() >= kMaximumDepth) refuse(fmt::format("it nests deeper than {} levels", kMaximumDepth));
    ordered_json& opened = put(std::move(container));
    if (std::exchange(next_is_streamed_, false) && opened.is_array()) streamed_array_ = &opened;
    open_.push_back(&opened);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorKind::usage, printable(where_) + ": refused: " + reason + "; bench never wrote this");
  }

  const std::string& where_;
  std::string_view streamed_;
  const Visitor* visit_;
  ordered_json root_;
  std::vector<ordered_json*> open_;  // the containers around the next value, the root first
  ordered_json* slot_ = nullptr;     // of the member whose name was read last
  ordered_json* streamed_array_ = nullptr;
  bool next_is_streamed_ = false;
  std::size_t count_ = 0;  // elements handed over
};

}  // namespace

ordered_json parse(std::string_view text, const std::string& where) {
  return parse_streaming(text, where, {}, {});
}

ordered_json parse_streaming(std::string_view text, const std::string& where, std::string_view streamed,
                             const Visitor& visit) {
  Builder builder(where, streamed, visit ? &visit : nullptr);
  try {
    ordered_json::sax_parse(text, &builder);
  } catch (const ordered_json::exception& error) {
    throw Error(ErrorKind::usage, printable(where) + ": not valid JSON: " + without_prefixes(error.what()));
  }
  return builder.take();
}

std::string dump(const ordered_json& json, int indent) {
  const std::string text =
      json.dump(indent, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
  // Only strings hold what is no ASCII, and an escape is the same data.
  std::string escaped;
  std::size_t copied = 0;
  for (std::size_t at = text.find('\xE2'); at != text.npos; at = text.find('\xE2', at + 1)) {
    const int code_point = 0x2000 + ((text[at + 1] & 0x3F) << 6) + (text[at + 2] & 0x3F);
    if ((code_point < 0x202A || code_point > 0x202E) && (code_point < 0x2066 || code_point > 0x2069))
      continue;
    escaped += text.substr(copied, at - copied) + fmt::format("\\u{:04x}", code_point);
    copied = at + 3;
  }
  return copied == 0 ? text : escaped + text.substr(copied);
}

}  // namespace bench::protocol
