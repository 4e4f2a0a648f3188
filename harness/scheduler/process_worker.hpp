#pragma once

#include <memory>
#include <string>

#include "harness/scheduler/child_process.hpp"
#include "harness/scheduler/clock.hpp"
#include "harness/scheduler/interrupts.hpp"
#include "harness/scheduler/worker.hpp"

namespace bench::scheduler {

// A worker program over two pipes.
class ProcessWorker final : public Worker {
 public:
  // Waits for Hello. Throws Error(environment) with the log's last line and what helps when the program does
  // not come up, and Error(environment) when it was built from other sources than this program.
  ProcessWorker(const ChildProcess::Start& start, Clock& clock, const Interrupts& interrupts);
  ~ProcessWorker() override;

  const protocol::Hello& hello() const override { return hello_; }
  Reply ask(const protocol::Command& command, std::int64_t deadline_ns,
            const EventListener& listener) override;

 private:
  enum class Wait { line, tick, closed, deadline, interrupted };
  Wait wait_for_line(std::int64_t deadline_ns, std::string& line);
  std::string how_it_ended();
  std::string last_words() const;
  bool is_interrupted_too() const;
  Reply ended_by_itself();

  ChildProcess process_;
  Clock& clock_;
  const Interrupts& interrupts_;
  std::string program_;
  std::string received_;
  protocol::Hello hello_;
};

// Starts one worker program when it is asked for, and a fresh one after discard().
class ProcessWorkerSource final : public WorkerSource {
 public:
  // `start.log_path` is a folder here; each worker gets a log of its own in it.
  ProcessWorkerSource(ChildProcess::Start start, Clock& clock, const Interrupts& interrupts)
      : start_(std::move(start)), clock_(clock), interrupts_(interrupts) {}
  Worker& worker() override;
  void discard() override { worker_.reset(); }

 private:
  ChildProcess::Start start_;
  Clock& clock_;
  const Interrupts& interrupts_;
  int started_ = 0;
  std::unique_ptr<ProcessWorker> worker_;
};

}  // namespace bench::scheduler
