#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/parameter.hpp"

namespace bench {

// One configuration of one workload. Cases are joined on `values`, of which the id is the rendering.
struct Case {
  std::string workload;
  std::vector<std::pair<std::string, Value>> values;  // in declared order

  // model/size:large/context:512/... No host, no device.
  std::string id() const;

  bool has(std::string_view name) const;
  // nullptr when absent.
  const Value* find(std::string_view name) const;
  // These throw Error(internal) when the parameter is absent or of another type: a workload asks only for
  // what it declared.
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string& text(std::string_view name) const;

  // Replaces in place, or appends.
  void set(std::string_view name, Value value);
  void erase(std::string_view name);

  bool operator==(const Case&) const = default;
};

}  // namespace bench
