#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "harness/core/document.hpp"

// Result files of other programs, as documents, so that compare and report take them.
namespace bench::reports {

// Reads what Google Benchmark or hyperfine wrote. Throws Error(usage), which `where` begins: it is damaged,
// or none of the files that bench reads, which the message names.
Document foreign_document(std::string_view text, const std::string& where);

// Whether this is a Google Benchmark file ("context" and "benchmarks"), a hyperfine one ("results" with a
// "command").
bool is_google_benchmark(const nlohmann::ordered_json& json);
bool is_hyperfine(const nlohmann::ordered_json& json);

// One case per run name: "BM_Sum/n:64" is workload BM_Sum with n 64, "BM_Sum/64" has an `argument`.
// Repetitions are its samples, counters exact quantities. Where a file holds only aggregates of them, the
// median (else the mean) is the time. What was skipped, failed or has no time is a case without a result.
// `where` begins messages; both throw Error(usage).
Document from_google_benchmark(const nlohmann::ordered_json& json, const std::string& where);

// One case per command and parameters; every time is that of a process of its own.
Document from_hyperfine(const nlohmann::ordered_json& json, const std::string& where);

}  // namespace bench::reports
