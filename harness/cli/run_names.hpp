#pragma once

#include <string>
#include <vector>

#include "harness/core/document.hpp"

namespace bench::cli {

// What tells runs apart in headings: their labels, else the names of their folders or files, else the paths.
std::vector<std::string> names_of(const std::vector<std::string>& paths,
                                  const std::vector<Document>& documents);

// Loads each path; what a reader should be told about a file goes to standard error.
std::vector<Document> load_documents(const std::vector<std::string>& paths);

}  // namespace bench::cli
