#pragma once

#include <string>
#include <vector>

#include "harness/statistics/process_noise.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/compare/join.hpp"

namespace bench::reports {

// A condition of documents in which every sample comes from a fresh process, as hyperfine's do.
inline constexpr const char* kProcessesCondition = "processes";
inline constexpr const char* kOneProcessASample = "one a sample";

// One sampled time of one case on one side, with what its comparison needs.
struct Measured {
  Timed timed;
  std::vector<double> log_values;   // of all samples; empty where the document holds none
  std::vector<double> log_medians;  // one a process
  std::vector<int> processes;       // which process each of them is from
};

// `metric` "": of a case without sampled times, which has only its status and its exact quantities.
Measured measured(const Document& document, const Repetitions& repetitions, const std::string& metric);

// What processes of one program differ by: from repetitions, or assumed.
struct Noise {
  std::optional<statistics::ProcessNoise> measured;
  double assumed = 0;  // a share

  // The logarithm of the ratio that chance alone may show.
  double bound(std::int64_t from, std::int64_t to) const;
};

Change change_of(const Measured& base, const Measured& other, const Noise& noise, double threshold);

// With so many processes on each side their medians are compared, and nothing else.
bool processes_suffice(std::int64_t from, std::int64_t to);

}  // namespace bench::reports
