#include "reports/foreign/identity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "harness/core/text.hpp"
#include "reports/free_name.hpp"

namespace bench::reports {

Value value_of_text(const std::string& text) {
  const auto prints_back = [&](const Value& value) { return to_text(value) == text; };
  if (const auto integer = number_from<std::int64_t>(text); integer && prints_back(*integer)) return *integer;
  if (const auto real = number_from<double>(text); real && std::isfinite(*real) && prints_back(*real))
    return *real;
  return text;
}

void add_parameter(Case& configuration, const std::string& name, Value value) {
  constexpr std::array<std::string_view, 3> kReserved{"workload", "repetition", "run"};
  configuration.set(free_name(name,
                              [&](const std::string& candidate) {
                                return configuration.has(candidate) ||
                                       std::ranges::find(kReserved, candidate) != kReserved.end();
                              }),
                    std::move(value));
}

void number_occurrences(std::vector<CaseResult>& cases) {
  std::set<std::string> ids;
  std::map<std::string, std::int64_t> last;  // occurrence, by the id that the file gives
  for (CaseResult& result : cases) {
    const Case named = result.configuration;
    std::int64_t& occurrence = last.try_emplace(named.id(), 1).first->second;
    while (!ids.insert(result.configuration.id()).second) {
      result.configuration = named;
      add_parameter(result.configuration, "occurrence", ++occurrence);
    }
  }
}

}  // namespace bench::reports
