#include "harness/machine/processes.hpp"

#include <map>
#include <vector>

#include "harness/machine/files.hpp"

namespace bench::machine {

std::set<std::int64_t> descendants_of(pid_t ancestor, const std::string& root) {
  std::multimap<std::int64_t, std::int64_t> children;
  for (const std::string& name : list_folder(root + "/proc")) {
    const auto pid = parse_integer(name);
    if (!pid) continue;
    // "77 (name) S 1 ...": field 4 is the parent; the name may itself hold spaces and ')'.
    const std::string stat = read_text(root + "/proc/" + name + "/stat").value_or("");
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) continue;
    const auto words = words_of(std::string_view(stat).substr(name_end + 1));
    const auto parent = words.size() > 1 ? parse_integer(words[1]) : std::nullopt;
    if (parent) children.emplace(*parent, *pid);
  }
  std::set<std::int64_t> found{ancestor};
  std::vector<std::int64_t> waiting{ancestor};
  while (!waiting.empty()) {
    const auto [first, last] = children.equal_range(waiting.back());
    waiting.pop_back();
    for (auto child = first; child != last; ++child)
      if (found.insert(child->second).second) waiting.push_back(child->second);
  }
  return found;
}

}  // namespace bench::machine
