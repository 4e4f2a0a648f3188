#include "harness/cli/run_names.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "harness/cli/commands.hpp"
#include "reports/load.hpp"

namespace bench::cli {

std::vector<std::string> names_of(const std::vector<std::string>& paths,
                                  const std::vector<Document>& documents) {
  const auto distinct = [](const std::vector<std::string>& names) {
    return std::ranges::none_of(names, &std::string::empty) &&
           std::set(names.begin(), names.end()).size() == names.size();
  };
  std::vector<std::string> labels, files;
  for (const Document& document : documents) labels.push_back(document.run.label);
  if (distinct(labels)) return labels;
  for (const std::string& path : paths) {
    std::error_code ignored;
    std::filesystem::path file =
        std::filesystem::canonical(path, ignored);  // bench-runs/latest: the run it stands for
    if (file.filename() == "run.json" || file.filename() == "cases.jsonl") file = file.parent_path();
    files.push_back(file.filename().string());
  }
  return distinct(files) ? files : paths;
}

std::vector<Document> load_documents(const std::vector<std::string>& paths) {
  std::vector<Document> documents;
  for (const std::string& path : paths) {
    std::vector<std::string> notes;
    documents.push_back(reports::load_document(path, &notes));
    for (const std::string& note : notes) tell(fmt::format("bench: {}", note));
  }
  return documents;
}

}  // namespace bench::cli
