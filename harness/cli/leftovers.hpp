#pragma once

#include <string>
#include <vector>

// Words that the option parser did not take. Each function throws Error(usage) with the remedy.
namespace bench::cli {

struct Leftovers {
  std::string command;               // that left them, as typed: "bench run model"
  std::vector<std::string> options;  // that it knows: "--size"
  std::vector<std::string> words;    // nothing took
};

bool is_option(const std::string& word);

// An unknown option, with the nearest known one, or a stray word.
void refuse_extras(const Leftovers& left);

// What was typed between a command and the one of its own that followed.
void refuse_before(const std::string& followed, const Leftovers& left);

// Options of a workload where --resume DIR was typed and no workload.
void refuse_options_of_workload(const std::vector<std::string>& options, const Leftovers& left,
                                const std::string& resumed);

}  // namespace bench::cli
