#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/core/document.hpp"
#include "harness/machine/machine.hpp"

namespace bench::scheduler {

// What only a parent can set, before a worker's libraries load.
struct WorkerConditions {
  std::map<std::string, std::string> environment;  // for the workers
  std::int64_t memory_budget_bytes = 0;            // of a worker: what is available, less 1 GiB
  std::int64_t case_limit_bytes = 0;  // of its cases: the person's limit, within the budget; 0: none
  Conditions recorded;                // for the document; equal on two runs that may be compared
};

struct ConditionsRequest {
  int local_ranks = 1;
  bool on_gpu = false;                  // where the workers compute
  bool host_defaults = false;           // leave the machine as found
  std::int64_t memory_limit_bytes = 0;  // the person's own; 0: what the machine has, less 1 GiB
  std::map<std::string, std::string>
      own;  // this process's environment: a person's OMP_NUM_THREADS and OMP_WAIT_POLICY are honoured
};

WorkerConditions worker_conditions(const machine::Machine& machine, const ConditionsRequest& request);

}  // namespace bench::scheduler
