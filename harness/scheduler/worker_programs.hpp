#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/scheduler/worker.hpp"

namespace bench::scheduler {

// The worker programs of a sweep by WorkloadSpec::program; "" is the native one. One of them is alive at a
// time, with one number of ranks, by which threads and cores were shared out when they started: an idle
// worker holds memory, and its OpenMP threads may spin on the cores that the other one is measured on.
class WorkerPrograms {
 public:
  using Sources = std::map<std::string, WorkerSource*>;

  // The sources outlive this object, and none of them serves yet.
  explicit WorkerPrograms(Sources sources) : sources_(std::move(sources)) {}

  // The worker of this program and of so many ranks, after ending another. Throws as WorkerSource::worker()
  // does.
  Worker& worker(const std::string& program, int ranks = 1);
  // The same for running something. `fresh`: one that has run nothing before.
  Worker& worker_for_work(const std::string& program, int ranks, bool fresh = false);
  // Ends the one that is alive, if any.
  void discard();

 private:
  Sources sources_;
  struct Key {
    std::string program;
    int ranks = 1;
    bool operator==(const Key&) const = default;
  };
  std::optional<Key> alive_;
  bool used_ = false;  // the one that is alive has run something
};

}  // namespace bench::scheduler
