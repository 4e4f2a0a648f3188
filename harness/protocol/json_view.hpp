#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <rapidjson/fwd.h>
#include <nlohmann/json_fwd.hpp>

namespace bench::protocol {

// A value in either tree that text is parsed into: nlohmann's, which is complete and says where text goes
// wrong, or RapidJSON's, which is quick (quick_parse.hpp). Valid as long as its tree.
class JsonView {
 public:
  JsonView(const nlohmann::ordered_json& json) : thorough_(&json) {}
  JsonView(const rapidjson::Value& json) : quick_(&json) {}

  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  bool is_boolean() const;
  bool is_number() const;
  bool is_number_integer() const;

  // Of the type that was asked for before.
  bool boolean() const;
  double real() const;
  std::string_view text() const;
  template <std::integral T>
  std::optional<T> integer() const {  // nullopt: T does not hold it
    if (const auto value = whole_and_positive()) return held<T>(*value);
    return held<T>(whole());
  }

  // Of an array or object.
  std::size_t size() const;
  JsonView operator[](std::size_t index) const;    // the value
  std::string_view name(std::size_t index) const;  // of an object's member
  std::optional<JsonView> find(std::string_view name) const;

  // "a string", "null", "the number 1.5", ...
  std::string found() const;
  std::string dump() const;

 private:
  template <std::integral T>
  static std::optional<T> held(std::integral auto value) {
    return std::in_range<T>(value) ? std::optional(static_cast<T>(value)) : std::nullopt;
  }
  std::optional<std::uint64_t> whole_and_positive() const;
  std::int64_t whole() const;

  const nlohmann::ordered_json* thorough_ = nullptr;  // one of the two
  const rapidjson::Value* quick_ = nullptr;
};

}  // namespace bench::protocol
