#include "reports/mode_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include <fmt/format.h>

#include "reports/parameters.hpp"

namespace bench::reports {
namespace {

std::string mode_of(const CaseResult& result) {
  const auto mode = parameter_of(result, kModeParameter);
  return mode ? to_text(*mode) : "";
}

std::vector<std::string> modes_by_work(const Document& document) {
  std::vector<std::string> modes;
  std::map<std::string, double> flop;
  for (const CaseResult& result : document.cases) {
    const std::string mode = mode_of(result);
    if (mode.empty()) return {};  // a case without a mode fits no such table
    if (std::ranges::find(modes, mode) == modes.end()) modes.push_back(mode);
    flop[mode] = std::max(flop[mode], result.work.flop());
  }
  std::ranges::stable_sort(modes, {}, [&](const std::string& mode) { return flop[mode]; });
  return modes;
}

// What a case says of these parameters: "size small, context 256".
std::string key_of(const CaseResult& result, const std::vector<std::string>& names) {
  std::string key;
  for (const std::string& name : names)
    if (const auto value = parameter_of(result, name)) key += fmt::format("{} {}, ", name, to_text(*value));
  return key;
}

struct Names {
  std::vector<std::string> shared;     // that every case has
  std::vector<std::string> sometimes;  // that only some have: an optimizer
};

Names names_of(const Document& document) {
  Names names;
  std::vector<std::string> all = parameter_names(document);
  all.insert(all.end(), {"repetition"});
  all.insert(all.end(), kMeasurementParameters.begin(), kMeasurementParameters.end());
  for (const std::string& name : all) {
    if (name == kModeParameter) continue;
    const bool everywhere = std::ranges::all_of(
        document.cases, [&](const CaseResult& result) { return parameter_of(result, name).has_value(); });
    (everywhere ? names.shared : names.sometimes).push_back(name);
  }
  return names;
}

// Whether both say the same wherever both say something.
bool agree(const CaseResult& a, const CaseResult& b, const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [&](const std::string& name) {
    const auto of_a = parameter_of(a, name), of_b = parameter_of(b, name);
    return !of_a || !of_b || *of_a == *of_b;
  });
}

std::size_t count_of(const CaseResult& result, const std::vector<std::string>& names) {
  return static_cast<std::size_t>(std::ranges::count_if(
      names, [&](const std::string& name) { return parameter_of(result, name).has_value(); }));
}

}  // namespace

ModeRows mode_rows_of(const Document& document) {
  ModeRows found{.modes = modes_by_work(document), .by_mode = {}, .richest = {}};
  if (found.modes.size() < 2) return {};
  const Names names = names_of(document);

  // Cases that may share rows, in the order of the first of them.
  std::vector<Cases> groups;
  std::map<std::string, std::size_t> group_of;
  for (const CaseResult& result : document.cases) {
    const auto [known, is_new] = group_of.emplace(key_of(result, names.shared), groups.size());
    if (is_new) groups.emplace_back();
    groups[known->second].push_back(&result);
  }

  found.by_mode.resize(found.modes.size());
  for (const Cases& group : groups) {
    // A row for each case that says more than, or something else than, those before it.
    Cases rows = group;
    std::ranges::stable_sort(rows, std::ranges::greater{},
                             [&](const CaseResult* result) { return count_of(*result, names.sometimes); });
    Cases kept;
    for (const CaseResult* candidate : rows)
      if (std::ranges::none_of(kept, [&](const CaseResult* row) {
            return mode_of(*row) != mode_of(*candidate) && agree(*row, *candidate, names.sometimes);
          }))
        kept.push_back(candidate);
    for (const CaseResult* row : kept) {
      found.richest.push_back(row);
      for (std::size_t m = 0; m < found.modes.size(); ++m) {
        const auto fits = std::ranges::find_if(group, [&](const CaseResult* result) {
          return mode_of(*result) == found.modes[m] && agree(*row, *result, names.sometimes);
        });
        found.by_mode[m].push_back(mode_of(*row) == found.modes[m] ? row
                                   : fits == group.end()           ? nullptr
                                                                   : *fits);
      }
    }
  }
  if (found.richest.size() == document.cases.size()) return {};  // nothing was merged
  return found;
}

}  // namespace bench::reports
