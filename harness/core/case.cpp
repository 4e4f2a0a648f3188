#include "harness/core/case.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace bench {
namespace {

template <typename Values>
auto entry(Values& values, std::string_view name) {
  return std::find_if(values.begin(), values.end(), [&](const auto& pair) { return pair.first == name; });
}

template <typename T>
const T& get(const Case& configuration, std::string_view name) {
  const Value* value = configuration.find(name);
  if (value == nullptr || !std::holds_alternative<T>(*value))
    throw Error(ErrorKind::internal,
                fmt::format("case {} has no parameter {} of the type asked for", configuration.id(), name));
  return std::get<T>(*value);
}

}  // namespace

std::string Case::id() const {
  std::string id = workload;
  for (const auto& [name, value] : values) id += fmt::format("/{}:{}", name, to_text(value));
  return id;
}

bool Case::has(std::string_view name) const {
  return find(name) != nullptr;
}

const Value* Case::find(std::string_view name) const {
  const auto found = entry(values, name);
  return found == values.end() ? nullptr : &found->second;
}

std::int64_t Case::integer(std::string_view name) const {
  return get<std::int64_t>(*this, name);
}
double Case::real(std::string_view name) const {
  return get<double>(*this, name);
}
const std::string& Case::text(std::string_view name) const {
  return get<std::string>(*this, name);
}

void Case::set(std::string_view name, Value value) {
  const auto found = entry(values, name);
  if (found == values.end())
    values.emplace_back(std::string(name), std::move(value));
  else
    found->second = std::move(value);
}

void Case::erase(std::string_view name) {
  const auto found = entry(values, name);
  if (found != values.end()) values.erase(found);
}

}  // namespace bench
