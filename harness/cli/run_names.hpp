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

// Leaves the cases that `bench run --filter FILTER --exclude EXCLUDE` would have run. Throws Error(usage)
// where a run keeps none, and for what is no regular expression.
void keep_matching(std::vector<Document>& documents, const std::vector<std::string>& paths,
                   const std::string& filter, const std::string& exclude);

// Throws Error(usage) where `output` is one of these runs, by whatever path, or a file that bench keeps in
// the folder of one: run.json, cases.jsonl, plan.json. "" is standard output.
void refuse_to_overwrite(const std::vector<std::string>& paths, const std::string& output);

}  // namespace bench::cli
