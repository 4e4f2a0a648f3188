#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/protocol/message.hpp"

namespace bench::scheduler {

// How asking a worker for something ended.
struct Reply {
  enum class Kind {
    answered,           // `event` is Prepared, Done or Failed
    crashed,            // the process is gone; `reason` says by what
    killed_for_memory,  // by the kernel, which had run out of it; `reason` says so
    timed_out,          // the deadline passed; the worker has been ended; `reason`: where its ranks were
    interrupted,        // a signal asked bench to stop; the worker has been ended
  };
  Kind kind = Kind::answered;
  protocol::Event event;  // of rank 0, by which all have answered
  std::string reason;
  std::vector<protocol::Event> of_others = {};  // of ranks 1, 2, ... of the case
};

// Sees Progress and Samples as they arrive; called with nullptr about five times a second while nothing does.
using EventListener = std::function<void(const protocol::Event*)>;

// The scheduler's view of a worker program: a process, or a script in tests.
class Worker {
 public:
  virtual ~Worker() = default;
  virtual const protocol::Hello& hello() const = 0;
  virtual Reply ask(const protocol::Command& command, std::int64_t deadline_ns,
                    const EventListener& listener) = 0;
};

// Gives the worker that serves now, starting one where there is none. A worker may be several processes, its
// ranks.
class WorkerSource {
 public:
  virtual ~WorkerSource() = default;
  // Throws Error(environment) when no worker can be started, or only one of another build.
  virtual Worker& worker(int ranks) = 0;
  // Ends the present worker; the next call to worker() starts a fresh one.
  virtual void discard() = 0;
};

}  // namespace bench::scheduler
