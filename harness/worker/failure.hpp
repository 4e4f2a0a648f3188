#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "harness/core/status.hpp"

namespace bench::worker {

struct Failure {
  Status status;
  std::string reason;  // begins with the phase: "check: asked for 24 MiB with ..."
};

// What an exception that a workload threw means for its case.
Failure describe_failure(std::exception_ptr exception, std::string_view phase);

}  // namespace bench::worker
