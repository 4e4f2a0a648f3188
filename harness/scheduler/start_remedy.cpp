#include "harness/scheduler/start_remedy.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "harness/core/text.hpp"

namespace bench::scheduler {
namespace {

struct Cause {
  std::vector<std::string_view> signs;  // any of them
  std::string_view remedy;
};

// The first that fits: a library that cannot be mapped for want of memory is not missing.
const std::vector<Cause>& causes() {
  static const std::vector<Cause> all{
      {{"allocate memory", "failed to map segment", "bad_alloc", "MemoryError", "out of memory"},
       "there is too little memory to start it: end other programs, or raise `ulimit -v` or the container's "
       "memory"},
      {{"Resource temporarily unavailable", "can't start new thread"},
       "no further process or thread may be started: raise `ulimit -u` or the container's pids limit, end "
       "other programs, or set OMP_NUM_THREADS lower"},
      {{"Too many open files"}, "raise `ulimit -n`"},
      {{"undefined symbol", "' not found (required by", "Illegal instruction"},
       "it was built for another machine or with other libraries: build it again here, as scripts/bench "
       "does"},
      {{"error while loading shared libraries", "cannot open shared object file", "No module named"},
       "scripts/setup installs what it needs (--peers: what PyTorch's rows need)"},
  };
  return all;
}

// libgomp starts threads on processors that these name, and does not say so when there is no such processor.
std::string variables_of_affinity(std::string_view said) {
  if (said.find("libgomp: Thread creation failed: Invalid argument") == std::string_view::npos) return "";
  std::vector<std::string> found;
  for (const char* const name : {"GOMP_CPU_AFFINITY", "OMP_PLACES"})
    if (const char* const value = std::getenv(name); value != nullptr)
      found.push_back(printable(fmt::format("{}={}", name, value)));
  return join(found, " and ");
}

// A word of what was said that is the name of a variable which is set. Its value stays unsaid: reasons are
// kept with results, and any variable may hold a secret.
std::string variable_named_in(std::string_view said) {
  constexpr std::string_view kOfNames = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  while (!said.empty()) {
    const std::size_t begin = std::min(said.find_first_of(kOfNames), said.size());
    said.remove_prefix(begin);
    const std::string word(said.substr(0, std::min(said.find_first_not_of(kOfNames), said.size())));
    said.remove_prefix(word.size());
    if (word.find('_') == std::string::npos || word.front() == '_')
      continue;  // no name of a variable: libtorch_cpu
    if (std::getenv(word.c_str()) != nullptr) return word;
  }
  return "";
}

}  // namespace

std::string start_remedy(std::string_view said) {
  if (const std::string variables = variables_of_affinity(said); !variables.empty())
    return fmt::format("{} names processors that it may not use here: unset it, or name others", variables);
  if (const std::string variable = variable_named_in(said); !variable.empty())
    return fmt::format("{} is set: unset it, or give it a value that is valid here", variable);
  for (const Cause& cause : causes())
    if (std::ranges::any_of(cause.signs, [&](std::string_view sign) { return said.find(sign) != said.npos; }))
      return std::string(cause.remedy);
  return "";
}

}  // namespace bench::scheduler
