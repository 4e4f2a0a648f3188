#pragma once

#include <string>
#include <vector>

namespace bench::cli {

struct KnownOption {
  std::string name;  // "--duration"
  bool takes_value = true;
  std::string type;     // "µs", "NAME"
  std::string meaning;  // of its value, as --help has it
  std::string example;  // a value that it may have; "" where none can be named
};

// Throws Error(usage) where a word that needs a value is the last, or is followed by an option of the same
// command, and where one that takes none has one. The option parser would take the following option for the
// value, or say it in words of its own.
void refuse_misplaced_values(const std::vector<std::string>& words, const std::vector<KnownOption>& options);

}  // namespace bench::cli
