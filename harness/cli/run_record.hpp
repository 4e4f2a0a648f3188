#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/core/document.hpp"
#include "harness/scheduler/journal.hpp"

namespace bench::cli {

// What the workers say of themselves once they have started.
struct WorkerFacts {
  std::map<std::string, std::string> build_ids;  // program name -> id
  std::map<std::string, std::string> libraries;
  Conditions conditions;
};

// How a run is gone on with.
struct Resumption {
  std::string directory;  // as it was typed
  bool force = false;     // although something differs
};

// What a run says of itself and has measured: one document, and the journal that keeps it, from the beginning
// through any number of resumptions. The document describes the machine and the builds that the run was begun
// with; what was different later is its condition "resumed_with", so that nobody compares these results with
// others unawares.
class RunRecord {
 public:
  // Of a run that begins. `now` describes it, but for what its workers will say.
  explicit RunRecord(Document now) : document_(std::move(now)) {}
  // Of a run that is gone on with: `before` is what its journal has. Throws Error(usage) with what differs,
  // unless that is forced.
  RunRecord(Document before, const Document& now, Resumption how);

  // All that is added goes there from now on.
  void keep_in(std::unique_ptr<scheduler::Journal> journal) { journal_ = std::move(journal); }

  // Takes down what the workers say and writes the journal's first line, or, where this part of the run has
  // anything new to say, another one. Throws as above, and Error(io).
  void begin(const WorkerFacts& workers);

  bool begun() const { return begun_; }

  // A case that is there already takes its place, as readers of the journal have it. Throws Error(io).
  void add(CaseResult&& result);

  const Document& document() const { return document_; }
  Document& document() { return document_; }
  // From what the run was begun with, and so this part of it is marked; empty: nothing. One clause each.
  const std::vector<std::string>& differing() const { return differing_; }

 private:
  void differ(const std::vector<std::string>& clauses);

  Document document_;
  std::unordered_map<std::string, std::size_t> index_of_;  // of the document's cases, by case_key
  std::string written_header_;                             // the last one in the journal; empty: none
  Resumption how_;
  bool begun_ = false;
  std::vector<std::string> differing_;
  std::unique_ptr<scheduler::Journal> journal_;  // nullptr: the run leaves no files
};

// In what the machine, the build or its conditions are not those that the run was begun with. One clause
// each; empty: they are the same.
std::vector<std::string> differences(const Document& before, const Document& now);

// The same for what only a started worker knows. What just one of the two says anything of is no difference:
// a peer may have been missing.
std::vector<std::string> differences(const Document& before, const WorkerFacts& now);

}  // namespace bench::cli
