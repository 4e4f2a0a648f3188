#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/scheduler/child_process.hpp"
#include "harness/scheduler/clock.hpp"
#include "harness/scheduler/interrupts.hpp"
#include "harness/scheduler/rank_processes.hpp"
#include "harness/scheduler/worker.hpp"

namespace bench::scheduler {

// A worker program over two pipes: to a single process, or to the leader of the ranks that are started here.
class ProcessWorker final : public Worker {
 public:
  // Waits for Hello. Throws Error(environment) with the log's last line and what helps when the program does
  // not come up, and Error(environment) when it was built from other sources than this program.
  ProcessWorker(const std::vector<ChildProcess::Start>& by_rank, Clock& clock, const Interrupts& interrupts);
  ProcessWorker(const ChildProcess::Start& start, Clock& clock, const Interrupts& interrupts)
      : ProcessWorker(std::vector{start}, clock, interrupts) {}
  ~ProcessWorker() override;

  const protocol::Hello& hello() const override { return hello_; }
  Reply ask(const protocol::Command& command, std::int64_t deadline_ns,
            const EventListener& listener) override;

 private:
  enum class Wait { line, tick, closed, deadline, interrupted };
  void require_started(Wait outcome);
  void take_hello(const std::string& line);
  Wait wait_for_line(std::int64_t deadline_ns, std::string& line);
  std::string how_it_ended();
  static std::string last_words(const std::string& log_path);
  bool is_interrupted_too() const;
  Reply ended_by_itself();
  std::optional<Reply> unanswered_failure();

  RankProcesses processes_;
  Clock& clock_;
  const Interrupts& interrupts_;
  std::string program_;
  std::string received_;
  int closed_rank_ = 0;  // whose pipe was seen to close first
  bool killed_for_memory_ = false;
  protocol::Hello hello_;
};

// How each rank of a worker is started, by rank. Logs go to a folder: each process gets a log of its own in
// it.
using StartRanks = std::function<std::vector<ChildProcess::Start>(int ranks)>;

// Starts one worker program when it is asked for, and a fresh one after discard().
class ProcessWorkerSource final : public WorkerSource {
 public:
  ProcessWorkerSource(StartRanks start, Clock& clock, const Interrupts& interrupts)
      : start_(std::move(start)), clock_(clock), interrupts_(interrupts) {}
  Worker& worker(int ranks) override;
  void discard() override { worker_.reset(); }

 private:
  StartRanks start_;
  Clock& clock_;
  const Interrupts& interrupts_;
  int started_ = 0;
  std::unique_ptr<ProcessWorker> worker_;
};

}  // namespace bench::scheduler
