#include "harness/scheduler/worker_programs.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace bench::scheduler {

Worker& WorkerPrograms::worker(const std::string& program) {
  if (alive_ != program) {
    discard();
    if (!sources_.contains(program))
      throw Error(ErrorKind::internal, fmt::format("no worker program \"{}\" is known", program));
    alive_ = program;
  }
  return sources_.at(program)->worker();
}

Worker& WorkerPrograms::worker_for_work(const std::string& program, bool fresh) {
  if (fresh && used_) discard();
  Worker& given = worker(program);
  used_ = true;
  return given;
}

void WorkerPrograms::discard() {
  if (alive_) sources_.at(*alive_)->discard();
  alive_.reset();
  used_ = false;
}

}  // namespace bench::scheduler
