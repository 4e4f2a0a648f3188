#pragma once

#include <functional>

#include "harness/core/result.hpp"
#include "harness/scheduler/clock.hpp"
#include "harness/scheduler/progress.hpp"
#include "harness/scheduler/sweep.hpp"
#include "harness/scheduler/worker_programs.hpp"

namespace bench::scheduler {

// Called with each finished case, in order, before the next one begins. What it throws ends the sweep.
using ResultSink = std::function<void(CaseResult&&)>;

enum class SweepEnd { finished, interrupted };

// Runs every case that is not finished and hands out its result, whatever became of the case before it: a
// case that cannot fit in memory is not tried; after a crash or a time-out the worker is replaced; a case
// that ran out of memory is tried once more in a fresh worker before it is believed, and, where a parameter
// was given as `max`, then with half of it. A `max` that comes to another row has no result of its own. Each
// repetition begins with fresh workers.
SweepEnd run_sweep(const Sweep& sweep, WorkerPrograms& programs, Clock& clock, Progress& progress,
                   const ResultSink& sink);

}  // namespace bench::scheduler
