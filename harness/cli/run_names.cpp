#include "harness/cli/run_names.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
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
  struct Loaded {
    Document document;
    std::vector<std::string> notes;
  };
  std::vector<std::future<Loaded>> loading;  // at once: reading is most of a comparison's time
  for (const std::string& path : paths)
    loading.push_back(std::async(std::launch::async, [&path] {
      Loaded loaded;
      loaded.document = reports::load_document(path, &loaded.notes);
      return loaded;
    }));
  std::vector<Document> documents;
  for (auto& each : loading) {
    Loaded loaded = each.get();
    for (const std::string& note : loaded.notes) tell(fmt::format("bench: {}", note));
    documents.push_back(std::move(loaded.document));
  }
  return documents;
}

}  // namespace bench::cli
