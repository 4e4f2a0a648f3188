#pragma once

#include <string>
#include <vector>

// Scripts by which a shell completes what is typed after `bench`. Made from the options themselves, so they
// are never behind.
namespace bench::cli {

struct CompletedOption {
  std::string name;  // "--size"
  bool takes_value = false;
  bool takes_file = false;
  std::vector<std::string> values;  // what may follow it, where that is known
};

// One command and the words that lead to it: {} for bench itself, {"run", "model"}.
struct CompletedCommand {
  std::vector<std::string> words;
  std::vector<std::string> commands;  // that may follow
  std::vector<std::string> values;    // that may follow instead: of an argument that is no option
  bool takes_files = false;           // such an argument names a file or a folder
  std::vector<CompletedOption> options;
};

// `shell`: bash or zsh. Throws Error(usage) for another.
std::string completion_script(const std::string& shell, const std::vector<CompletedCommand>& commands);

}  // namespace bench::cli
