#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/document.hpp"

namespace bench::reports {

// Reads a run from what a person names: a run directory, a run.json, a journal (*.jsonl), or what Google
// Benchmark or hyperfine wrote.
//
// Of a directory run.json is taken when it is complete or there is no journal; otherwise the journal, which
// is the truth while a run lasts, so that a killed run, or one that was resumed after its run.json, loses
// nothing. `notes` (may be nullptr) gets what a reader should be told: a torn line, a damaged run.json that
// the journal stood in for.
//
// Throws Error(usage) with the path: missing, unreadable, larger than 2 GiB, not what bench wrote.
Document load_document(const std::string& path, std::vector<std::string>* notes = nullptr);

// The same of a whole JSON file's text; `where` begins messages.
Document document_from_text(std::string_view text, const std::string& where);

// What is in a file or a pipe. Throws Error(usage): a folder, unreadable, larger than 2 GiB.
std::string file_text(const std::string& path);

}  // namespace bench::reports
