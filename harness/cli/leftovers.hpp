#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

// What the option parser did not take, or would complain of in words that name no remedy. Each throws
// Error(usage).
namespace bench::cli {

bool is_option(const std::string& word);

// An argument that nothing took: an unknown option, with the nearest known one, or a stray word.
void refuse_extras(const CLI::App& command);

// What was typed between a command and the one of its own that followed.
void refuse_before(const std::string& followed, const CLI::App& command);

// Options of `workload` among what was typed with --resume DIR where no workload is named.
void refuse_options_of(const CLI::App& workload, const std::vector<std::string>& typed,
                       const std::string& resumed);

// An option of one value that was given more than once.
void refuse_twice(const CLI::App& app);

}  // namespace bench::cli
