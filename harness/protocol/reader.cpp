#include "harness/protocol/reader.hpp"

#include <algorithm>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::protocol {

using nlohmann::ordered_json;

std::string found(const ordered_json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "an array";
  if (json.is_string()) return "a string";
  if (json.is_boolean()) return "a boolean";
  return json.is_number() ? "the number " + json.dump() : "null";
}

Reader::Reader(const ordered_json& object, std::string_view where) : json_(&object), name_(where) {
  require_object();
}

Reader::Reader(const ordered_json& object, const Reader& parent, std::string_view name,
               std::optional<std::size_t> index)
    : json_(&object), parent_(&parent), name_(name), index_(index) {
  require_object();
}

void Reader::require_object() const {
  if (!json_->is_object()) fail("", "expected an object, found " + found(*json_));
}

std::string Reader::path() const {
  if (parent_ == nullptr) return std::string(name_);
  std::string before = parent_->path();
  if (!before.empty()) before += parent_->parent_ == nullptr ? ": " : ".";
  return before + std::string(name_) + (index_ ? fmt::format("[{}]", *index_) : "");
}

void Reader::fail(std::string_view member, std::string_view problem) const {
  std::string place = path();
  if (!member.empty()) {
    if (!place.empty()) place += parent_ == nullptr ? ": " : ".";
    place += member;
  }
  if (!place.empty()) place += ": ";
  throw Error(ErrorKind::usage, printable(place + std::string(problem)));
}

const ordered_json* Reader::find(std::string_view name) const {
  const auto& members = json_->get_ref<const ordered_json::object_t&>();
  const auto place = std::ranges::find(members, name, &ordered_json::object_t::value_type::first);
  return place == members.end() ? nullptr : &place->second;
}

bool Reader::has(std::string_view name) const {
  return find(name) != nullptr;
}

const ordered_json& Reader::member(std::string_view name) const {
  const ordered_json* const place = find(name);
  if (place == nullptr) fail(name, "missing");
  return *place;
}

double Reader::real(std::string_view name) const {
  const ordered_json& json = member(name);
  if (!json.is_number()) fail(name, "expected a number, found " + found(json));
  return json.get<double>();
}

std::optional<double> Reader::real_if(std::string_view name) const {
  return has(name) ? std::optional(real(name)) : std::nullopt;
}

std::optional<std::string> Reader::text_if(std::string_view name) const {
  return has(name) ? std::optional(text(name)) : std::nullopt;
}

bool Reader::boolean(std::string_view name) const {
  const ordered_json& json = member(name);
  if (!json.is_boolean()) fail(name, "expected true or false, found " + found(json));
  return json.get<bool>();
}

std::string Reader::text(std::string_view name) const {
  const ordered_json& json = member(name);
  if (!json.is_string()) fail(name, "expected a string, found " + found(json));
  return json.get_ref<const std::string&>();
}

const ordered_json& Reader::array(std::string_view name) const {
  const ordered_json& json = member(name);
  if (!json.is_array()) fail(name, "expected an array, found " + found(json));
  return json;
}

std::vector<std::string> Reader::texts(std::string_view name) const {
  const ordered_json& json = array(name);
  std::vector<std::string> values;
  values.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const ordered_json& item = json[i];
    if (!item.is_string()) fail(fmt::format("{}[{}]", name, i), "expected a string, found " + found(item));
    values.push_back(item.get_ref<const std::string&>());
  }
  return values;
}

std::vector<std::int64_t> Reader::integers(std::string_view name) const {
  const ordered_json& json = array(name);
  std::vector<std::int64_t> values;
  values.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const ordered_json& item = json[i];
    const auto place = [&] { return fmt::format("{}[{}]", name, i); };
    if (!item.is_number_integer()) fail(place(), "expected an integer, found " + found(item));
    const auto value = integer_of<std::int64_t>(item);
    if (!value) fail(place(), item.dump() + " is out of range");
    values.push_back(*value);
  }
  return values;
}

void Reader::members(std::string_view name,
                     const std::function<void(const std::string&, const ordered_json&)>& visit) const {
  const ordered_json& json = member(name);
  if (!json.is_object()) fail(name, "expected an object, found " + found(json));
  for (const auto& [key, value] : json.get_ref<const ordered_json::object_t&>()) visit(key, value);
}

std::map<std::string, std::string> Reader::text_map(std::string_view name) const {
  std::map<std::string, std::string> values;
  members(name, [&](const std::string& key, const ordered_json& value) {
    if (!value.is_string()) fail(fmt::format("{}.{}", name, key), "expected a string, found " + found(value));
    values[key] = value.get_ref<const std::string&>();
  });
  return values;
}

std::map<std::string, double> Reader::real_map(std::string_view name) const {
  std::map<std::string, double> values;
  members(name, [&](const std::string& key, const ordered_json& value) {
    if (!value.is_number()) fail(fmt::format("{}.{}", name, key), "expected a number, found " + found(value));
    values[key] = value.get<double>();
  });
  return values;
}

Reader Reader::object(std::string_view name) const& {
  return Reader(member(name), *this, name, std::nullopt);
}

void Reader::each(std::string_view name, const std::function<void(const Reader&)>& visit) const {
  const ordered_json& json = array(name);
  for (std::size_t i = 0; i < json.size(); ++i) visit(Reader(json[i], *this, name, i));
}

void Reader::only(std::initializer_list<std::string_view> names) const {
  for (const auto& [name, value] : json_->get_ref<const ordered_json::object_t&>())
    if (std::ranges::find(names, name) == names.end()) fail(name, "this message has no such member");
}

}  // namespace bench::protocol
