#pragma once

#include "harness/core/result.hpp"
#include "harness/protocol/reader.hpp"

// Schema 1 had no types: what its numbers are was left to their names, and what is said of a case was text
// alone. All that is known of those names and texts is here. A journal may hold cases of both schemas, so
// that each case says by itself which it is.
namespace bench::protocol {

enum class Written { with_types, without_types };
Written written_as(const Reader& work);  // by a case's member `work`

Work older_work_from(const Reader& reader);

// Kind and heading of a number that has only a metric and a unit.
void add_type(Summary& summary);
// The same of all summaries, and whose median each of the times is.
void add_types(CaseResult& result);

// Reasons, warnings and notes, with the codes that reports and --resume ask for.
void add_older_remarks(CaseResult& result, const Reader& reader);

}  // namespace bench::protocol
