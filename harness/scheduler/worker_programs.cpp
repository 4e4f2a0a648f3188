#include "harness/scheduler/worker_programs.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace bench::scheduler {

Worker& WorkerPrograms::worker(const std::string& program, int ranks) {
  const Key wanted{program, ranks};
  if (alive_ != wanted) {
    discard();
    if (!sources_.contains(program))
      throw Error(ErrorKind::internal, fmt::format("no worker program \"{}\" is known", program));
    alive_ = wanted;
  }
  return sources_.at(program)->worker(ranks);
}

Worker& WorkerPrograms::worker_for_work(const std::string& program, int ranks, bool fresh) {
  if (fresh && used_) discard();
  Worker& given = worker(program, ranks);
  used_ = true;
  return given;
}

void WorkerPrograms::discard() {
  if (alive_) sources_.at(alive_->program)->discard();
  alive_.reset();
  used_ = false;
}

}  // namespace bench::scheduler
