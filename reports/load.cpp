#include "reports/load.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "harness/protocol/document_text.hpp"
#include "harness/protocol/json.hpp"
#include "reports/foreign/foreign.hpp"

namespace bench::reports {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLargestFileBytes = std::int64_t{2} << 30;

[[noreturn]] void refuse(const fs::path& path, const std::string& problem) {
  throw Error(ErrorKind::usage, printable(path.string()) + " " + problem);
}

// A regular file or a pipe, opened; refuses what is too large to be a run before reading it.
std::ifstream opened(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) refuse(path, "could not be read: there is no such file");
  if (fs::is_directory(status)) refuse(path, "is a folder, not a file");
  if (!fs::is_regular_file(status) && !fs::is_fifo(status)) refuse(path, "is not a file");
  if (fs::is_regular_file(status)) {
    const auto bytes = static_cast<std::int64_t>(fs::file_size(path, error));
    if (!error && bytes > kLargestFileBytes) {
      refuse(path, fmt::format("has {}; bench reads runs up to {}", format_bytes(bytes),
                               format_bytes(kLargestFileBytes)));
    }
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, fmt::format("could not be read: {}", std::strerror(errno)));
  return file;
}

Document load_json(const fs::path& path) {
  return document_from_text(file_text(path.string()), path.string());
}

Document load_journal(const fs::path& path, std::vector<std::string>* notes) {
  std::ifstream file = opened(path);
  return protocol::document_from_journal(file, path.string(), notes);
}

Document load_directory(const fs::path& directory, std::vector<std::string>* notes) {
  const fs::path whole = directory / "run.json";
  const fs::path journal = directory / "cases.jsonl";
  std::error_code ignored;
  const bool has_whole = fs::exists(whole, ignored);
  const bool has_journal = fs::exists(journal, ignored);
  if (!has_whole && !has_journal) {
    refuse(directory, "is no run directory: it has neither run.json nor cases.jsonl; `bench run` makes one");
  }
  if (!has_journal) return load_json(whole);
  if (!has_whole) return load_journal(journal, notes);

  std::optional<Document> written;
  try {
    written = load_json(whole);
    if (written->run.complete) return *written;
  } catch (const Error& error) {
    if (notes != nullptr) notes->push_back(fmt::format("{}; cases.jsonl was read instead", error.what()));
  }
  Document document = load_journal(journal, notes);
  // An interrupted run also wrote when and how it ended; the journal's first line is from its beginning.
  if (written && written->cases == document.cases) return *written;
  return document;
}

}  // namespace

Document document_from_text(std::string_view text, const std::string& where) {
  // What bench wrote names its schema; what other programs wrote is read with more tolerance.
  if (text.find("\"schema_version\"") == text.npos) return foreign_document(text, where);
  return protocol::document_from_text(protocol::read_document_text(text, where), where);
}

std::string file_text(const std::string& path) {
  std::ifstream file = opened(path);
  std::string text;
  std::error_code unknown;  // the size of a pipe
  if (const auto bytes = fs::file_size(path, unknown); !unknown) text.reserve(bytes);
  char block[1 << 16];
  while (file.read(block, sizeof block) || file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (static_cast<std::int64_t>(text.size()) > kLargestFileBytes) refuse(path, "is larger than 2 GiB");
  }
  if (file.bad()) refuse(path, fmt::format("could not be read: {}", std::strerror(errno)));
  return text;
}

Document load_document(const std::string& path, std::vector<std::string>* notes) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    throw Error(ErrorKind::usage,
                fmt::format("no run directory or file at {}; `bench run` makes one", printable(path)));
  }
  if (error) refuse(path, "could not be read: " + error.message());
  if (fs::is_directory(status)) return load_directory(path, notes);
  if (fs::path(path).extension() == ".jsonl") return load_journal(path, notes);
  return load_json(path);
}

}  // namespace bench::reports
