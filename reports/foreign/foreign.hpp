#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "harness/core/document.hpp"

// Result files of other programs, as documents, so that compare and report take them.
namespace bench::reports {

// Whether this is a Google Benchmark file ("context" and "benchmarks"), a hyperfine one ("results").
bool is_google_benchmark(const nlohmann::ordered_json& json);
bool is_hyperfine(const nlohmann::ordered_json& json);

// One case per run name: "BM_Sum/n:64" is workload BM_Sum with n 64, "BM_Sum/64" has an `argument`.
// Repetitions are its samples, counters exact quantities. `where` begins messages; both throw Error(usage).
Document from_google_benchmark(const nlohmann::ordered_json& json, const std::string& where);

// One case per command and parameters; every time is that of a process of its own.
Document from_hyperfine(const nlohmann::ordered_json& json, const std::string& where);

}  // namespace bench::reports
