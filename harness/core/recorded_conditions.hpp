#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/document.hpp"

// What a document records of the surroundings of its times: one table, from which the record is made (which
// variables and facts are read), two documents are held against each other, a resumed run is judged, and
// reports list them. A new condition is one row.
namespace bench {

enum class ConditionPlace {
  member,      // a single value of the document, read by ConditionRow::value
  set,         // Document::conditions, by bench, before the workers' libraries load
  variable,    // Environment::variables: found in the environment
  fact,        // Environment::facts: read from the machine
  library,     // Environment::libraries: as a worker reported it
  worker_said  // Document::conditions, as a worker reported it
};

// What an unequal value means.
enum class Judgement {
  refused,  // the times are not comparable
  noted,    // a reader should know
  ignored   // it says nothing of the times
};

struct ConditionRow {
  ConditionPlace place = ConditionPlace::member;
  std::string_view name;                    // as recorded; one that ends in '*' stands for all that begin so
  std::string_view what = {};               // in a sentence: "the CPU governor"; empty: the name
  Judgement compared = Judgement::refused;  // between two documents
  Judgement resumed = Judgement::refused;   // between the parts of one run; noted is not said
  std::string_view device = {};             // "cpu" or "cuda": matters to runs there alone; empty: to all
  bool marks_profiler = false;              // where it is set, a profiler was at work
  std::string (*value)(const Document&) = nullptr;  // empty: not known
};

// In the order in which differences are told and reports list them.
std::span<const ConditionRow> condition_rows();

// The row of a variable, or nullptr: it is none that changes times or results.
const ConditionRow* variable_row(std::string_view name);

struct RecordedCondition {
  const ConditionRow* row;
  std::string name;   // of the variable, the fact, ...; of a member its `what`
  std::string value;  // never empty
};

// Those that have a value here, in the table's order. A variable that bench set for the workers, whatever was
// found, is there once, as set.
std::vector<RecordedCondition> recorded_conditions(const Document& document);

struct ConditionDifference {
  const ConditionRow* row;
  std::string what;           // "the CPU governor", "MKL_CBWR"
  std::string before, after;  // empty: not set or, where `unknown`, not on record
  bool unknown = false;       // one of the two says nothing of it, which need not be a difference

  // Judgements of this difference: what is unknown on one side is noted in a comparison, and no obstacle to a
  // resumption, as a worker may not have been asked yet.
  Judgement compared() const;
  Judgement resumed() const;
};

std::vector<ConditionDifference> differing_conditions(const Document& before, const Document& after);

}  // namespace bench
