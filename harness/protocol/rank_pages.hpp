#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench::protocol {

// Where one rank is, as it last said.
struct RankState {
  int pid = 0;                // 0: it has not joined yet
  std::string phase;          // "samples"
  std::string operation;      // "all_reduce", "step", "barrier"
  std::int64_t sequence = 0;  // of the operation among all that this rank has entered: ranks in step agree
  std::int64_t bytes = 0;     // of the operation; 0: it moves none
  std::int64_t failed_at_ns = 0;  // CLOCK_MONOTONIC; 0: it has not failed
  std::string status, reason;     // of the failure

  bool has_failed() const { return failed_at_ns != 0; }
  // "samples: all_reduce of 4 MiB (its operation 12)"
  std::string where() const;
};

// What the ranks of one host share with each other and with the bench that watches them: a page for each in
// an anonymous file, of which nothing is left behind however they end. Saying where one is costs a few
// stores.
class RankPages {
 public:
  // A descriptor for a group of so many local ranks, closed on exec. Throws Error(environment).
  static int create(int ranks);
  // Maps it; the descriptor may be closed then. Throws Error(environment).
  RankPages(int descriptor, int ranks);
  ~RankPages();
  RankPages(const RankPages&) = delete;
  RankPages& operator=(const RankPages&) = delete;

  int ranks() const { return ranks_; }
  RankState state(int rank) const;

  // By the rank itself.
  void join(int rank, int pid);
  void enter_phase(int rank, std::string_view phase);
  void enter(int rank, std::string_view operation, std::int64_t bytes);
  // The first failure of a rank stands.
  void fail(int rank, std::string_view status, std::string_view reason, std::int64_t at_ns);

  // The rank among the first `ranks` that failed first; -1: none has.
  int first_failed(int ranks) const;
  int pid(int rank) const;

  // What a barrier of the ranks counts with.
  std::atomic<std::uint32_t>& arrived();
  std::atomic<std::uint32_t>& generation();

 private:
  struct Page;
  struct Shared;
  Page& page(int rank) const;

  Shared* shared_ = nullptr;
  int ranks_;
};

// Who holds the others up: "rank 1 is late: samples: step (its operation 6); rank 0 waits in samples: barrier
// (its operation 7)". Of a single rank where it is.
std::string describe_ranks(const RankPages& pages);

}  // namespace bench::protocol
