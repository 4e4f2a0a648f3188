#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bench::protocol {

// What stands there instead: "a string", "null", "the number 1.5", ...
std::string found(const nlohmann::ordered_json& json);

// Of an integer; nullopt: T does not hold it.
template <std::integral T>
std::optional<T> integer_of(const nlohmann::ordered_json& json) {
  const auto held = [](auto value) {
    return std::in_range<T>(value) ? std::optional(static_cast<T>(value)) : std::nullopt;
  };
  return json.is_number_unsigned() ? held(json.get<std::uint64_t>()) : held(json.get<std::int64_t>());
}

// A strict view of one JSON object: every accessor checks the type and throws Error(usage) that names the way
// to the member, which is put together only then. Readers nest on the stack: a child points to its parent.
class Reader {
 public:
  // `where` begins every message: a path, or a path and a line.
  Reader(const nlohmann::ordered_json& object, std::string_view where);
  Reader(nlohmann::ordered_json&& object, std::string_view where) = delete;  // it outlives its readers

  bool has(std::string_view name) const;

  // Required members.
  template <std::integral T>
  T integer(std::string_view name) const;
  // At least `minimum`.
  template <std::integral T>
  T integer(std::string_view name, T minimum) const;
  double real(std::string_view name) const;  // an integer is a real too
  bool boolean(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::vector<std::int64_t> integers(std::string_view name) const;
  std::map<std::string, std::string> text_map(std::string_view name) const;
  std::map<std::string, double> real_map(std::string_view name) const;

  // One of `all`, by the name that from_text knows.
  template <class E>
  E choice(std::string_view name, std::optional<E> (*from_text)(std::string_view),
           std::initializer_list<E> all) const;

  // Optional members: nullopt when absent. null is not absence.
  std::optional<double> real_if(std::string_view name) const;
  std::optional<std::string> text_if(std::string_view name) const;

  Reader object(std::string_view name) const&;
  Reader object(std::string_view name) const&& = delete;  // the child would outlive its parent
  // An element of the array `name` that was read apart from it.
  Reader item(std::string_view name, std::size_t index, const nlohmann::ordered_json& element) const& {
    return Reader(element, *this, name, index);
  }
  // Calls visit(reader) for each object in the array `name`.
  void each(std::string_view name, const std::function<void(const Reader&)>& visit) const;
  // Calls visit(name, value) for each member of the object `name`, in the text's order.
  void members(std::string_view name,
               const std::function<void(const std::string&, const nlohmann::ordered_json&)>& visit) const;

  // Refuses members that are not in `names`.
  void only(std::initializer_list<std::string_view> names) const;

  const nlohmann::ordered_json& member(std::string_view name) const;
  const nlohmann::ordered_json& array(std::string_view name) const;
  [[noreturn]] void fail(std::string_view member, std::string_view problem) const;

 private:
  Reader(const nlohmann::ordered_json& object, const Reader& parent, std::string_view name,
         std::optional<std::size_t> index);
  void require_object() const;
  const nlohmann::ordered_json* find(std::string_view name) const;  // nullptr: no such member
  std::string path() const;

  const nlohmann::ordered_json* json_;
  const Reader* parent_ = nullptr;
  std::string_view name_;  // of this object in its parent; `where` in the root
  std::optional<std::size_t> index_;
};

template <std::integral T>
T Reader::integer(std::string_view name) const {
  const nlohmann::ordered_json& json = member(name);
  if (!json.is_number_integer()) fail(name, "expected an integer, found " + found(json));
  const auto value = integer_of<T>(json);
  if (!value) fail(name, fmt::format("{} is out of range", json.dump()));
  return *value;
}

template <std::integral T>
T Reader::integer(std::string_view name, T minimum) const {
  const T value = integer<T>(name);
  if (value < minimum) fail(name, fmt::format("{} is below {}", value, minimum));
  return value;
}

template <class E>
E Reader::choice(std::string_view name, std::optional<E> (*from_text)(std::string_view),
                 std::initializer_list<E> all) const {
  const std::string word = text(name);
  if (const auto value = from_text(word)) return *value;
  std::string valid;
  for (const E value : all) valid += (valid.empty() ? "" : ", ") + std::string(to_text(value));
  fail(name, fmt::format("\"{}\" is none of {}", word, valid));
}

}  // namespace bench::protocol
