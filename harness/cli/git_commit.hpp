#pragma once

#include <string>

namespace bench::cli {

// HEAD of the repository around the working directory, with "-dirty" when tracked files differ; empty without
// git or a repository.
std::string git_commit();

}  // namespace bench::cli
