#include "harness/protocol/reader.hpp"

#include <algorithm>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::protocol {

Reader::Reader(JsonView object, std::string_view where) : json_(object), name_(where) {
  require_object();
}

Reader::Reader(JsonView object, const Reader& parent, std::string_view name, std::optional<std::size_t> index)
    : json_(object), parent_(&parent), name_(name), index_(index) {
  require_object();
}

void Reader::require_object() const {
  if (!json_.is_object()) fail("", "expected an object, found " + json_.found());
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

bool Reader::has(std::string_view name) const {
  return json_.find(name).has_value();
}

JsonView Reader::member(std::string_view name) const {
  const auto place = json_.find(name);
  if (!place) fail(name, "missing");
  return *place;
}

double Reader::real(std::string_view name) const {
  const JsonView json = member(name);
  if (!json.is_number()) fail(name, "expected a number, found " + json.found());
  return json.real();
}

std::optional<double> Reader::real_if(std::string_view name) const {
  return has(name) ? std::optional(real(name)) : std::nullopt;
}

std::optional<std::string> Reader::text_if(std::string_view name) const {
  return has(name) ? std::optional(text(name)) : std::nullopt;
}

bool Reader::boolean(std::string_view name) const {
  const JsonView json = member(name);
  if (!json.is_boolean()) fail(name, "expected true or false, found " + json.found());
  return json.boolean();
}

std::string Reader::text(std::string_view name) const {
  const JsonView json = member(name);
  if (!json.is_string()) fail(name, "expected a string, found " + json.found());
  return std::string(json.text());
}

JsonView Reader::array(std::string_view name) const {
  const JsonView json = member(name);
  if (!json.is_array()) fail(name, "expected an array, found " + json.found());
  return json;
}

std::vector<std::string> Reader::texts(std::string_view name) const {
  const JsonView json = array(name);
  std::vector<std::string> values;
  values.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const JsonView item = json[i];
    if (!item.is_string()) fail(fmt::format("{}[{}]", name, i), "expected a string, found " + item.found());
    values.emplace_back(item.text());
  }
  return values;
}

std::vector<std::int64_t> Reader::integers(std::string_view name) const {
  const JsonView json = array(name);
  std::vector<std::int64_t> values;
  values.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const JsonView item = json[i];
    const auto place = [&] { return fmt::format("{}[{}]", name, i); };
    if (!item.is_number_integer()) fail(place(), "expected an integer, found " + item.found());
    const auto value = item.integer<std::int64_t>();
    if (!value) fail(place(), item.dump() + " is out of range");
    values.push_back(*value);
  }
  return values;
}

void Reader::members(std::string_view name,
                     const std::function<void(const std::string&, JsonView)>& visit) const {
  const JsonView json = member(name);
  if (!json.is_object()) fail(name, "expected an object, found " + json.found());
  for (std::size_t i = 0; i < json.size(); ++i) visit(std::string(json.name(i)), json[i]);
}

std::map<std::string, std::string> Reader::text_map(std::string_view name) const {
  std::map<std::string, std::string> values;
  members(name, [&](const std::string& key, JsonView value) {
    if (!value.is_string())
      fail(fmt::format("{}.{}", name, key), "expected a string, found " + value.found());
    values[key] = value.text();
  });
  return values;
}

std::map<std::string, double> Reader::real_map(std::string_view name) const {
  std::map<std::string, double> values;
  members(name, [&](const std::string& key, JsonView value) {
    if (!value.is_number())
      fail(fmt::format("{}.{}", name, key), "expected a number, found " + value.found());
    values[key] = value.real();
  });
  return values;
}

Reader Reader::object(std::string_view name) const& {
  return Reader(member(name), *this, name, std::nullopt);
}

void Reader::each(std::string_view name, const std::function<void(const Reader&)>& visit) const {
  const JsonView json = array(name);
  for (std::size_t i = 0; i < json.size(); ++i) visit(Reader(json[i], *this, name, i));
}

void Reader::only(std::initializer_list<std::string_view> names) const {
  for (std::size_t i = 0; i < json_.size(); ++i)
    if (std::ranges::find(names, json_.name(i)) == names.end())
      fail(json_.name(i), "this message has no such member");
}

}  // namespace bench::protocol
