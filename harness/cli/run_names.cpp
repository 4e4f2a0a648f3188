#include "harness/cli/run_names.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <set>

#include <fmt/format.h>

#include "harness/cli/commands.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/registry/id_filter.hpp"
#include "reports/load.hpp"

namespace bench::cli {
namespace fs = std::filesystem;

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
    fs::path file = fs::canonical(path, ignored);  // bench-runs/latest: the run it stands for
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

void keep_matching(std::vector<Document>& documents, const std::vector<std::string>& paths,
                   const std::string& filter, const std::string& exclude) {
  const registry::IdFilter matching(filter, exclude);
  if (filter.empty() && exclude.empty()) return;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    std::vector<CaseResult>& cases = documents[i].cases;
    const auto erased = std::erase_if(
        cases, [&](const CaseResult& each) { return !matching.keeps(each.configuration.id()); });
    documents[i].run.planned_cases -=
        static_cast<std::int64_t>(erased);  // of an incomplete run the rest may match
    if (cases.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("--filter and --exclude leave no case of {}", printable(paths[i])));
  }
}

void refuse_to_overwrite(const std::vector<std::string>& paths, const std::string& output) {
  if (output.empty()) return;
  std::error_code ignored;
  const fs::path written = fs::weakly_canonical(output, ignored);
  for (const std::string& path : paths) {
    const fs::path read = fs::canonical(path, ignored);
    const auto is_kept = [](const fs::path& file) {
      return file == "run.json" || file == "cases.jsonl" || file == "plan.json";
    };
    const bool is_read = fs::is_regular_file(read, ignored) && fs::equivalent(written, read, ignored);
    const fs::path folder = is_kept(read.filename()) ? read.parent_path() : read;
    if (is_read || (is_kept(written.filename()) && fs::equivalent(written.parent_path(), folder, ignored)))
      throw Error(ErrorKind::usage,
                  fmt::format("--output {} would overwrite the run that is read from {}; name another file",
                              printable(output), printable(path)));
  }
}

}  // namespace bench::cli
