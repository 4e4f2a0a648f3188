#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/protocol/rank_pages.hpp"
#include "harness/scheduler/child_process.hpp"

namespace bench::scheduler {

// The processes of one worker: a single one, or the ranks of a group on this host, of which rank 0 leads. A
// group is given a socket for its store, which is bound already, so that no port is ever in use, and shared
// pages on which each rank says where it is. Ends all of them on destruction.
class RankProcesses {
 public:
  // By rank. Throws Error(environment).
  explicit RankProcesses(const std::vector<ChildProcess::Start>& starts);

  int size() const { return static_cast<int>(processes_.size()); }
  ChildProcess& leader() { return *processes_.front(); }
  // Closed when that rank has ended.
  int event_fd(int rank) const { return processes_[static_cast<std::size_t>(rank)]->event_fd(); }

  // What became of the worker, once `noticed` has closed its pipe: of the rank that brought it down, "rank 1
  // was killed by signal 9 (Killed), in samples: step (its operation 6)"; without ranks "it was ...".
  struct End {
    std::string how;
    std::string log_path;
    bool killed_for_memory = false;
  };
  End how_it_ended(int noticed);

  // Waits that long for all to end by themselves.
  void wait(int patience_ms);
  // Asks all to end, waits up to `patience_ms`, then kills them.
  void end(int patience_ms);

  // Where the ranks are, for what took too long; empty of a single process.
  std::string where() const;
  // The rank that has failed for longer than that and whose failure is not answered yet.
  std::optional<protocol::RankState> failed_for(std::int64_t now_ns, std::int64_t longer_than_ns,
                                                int& rank) const;

 private:
  std::optional<protocol::RankPages> pages_;  // of a group
  std::vector<std::unique_ptr<ChildProcess>> processes_;
};

}  // namespace bench::scheduler
