#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench::shared_memory {

// A collective cannot be finished any more: a rank is gone, late beyond all patience, or asked for something
// else. The sentence names it.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What the ranks share of Events: zeros at first.
struct EventBoard {
  static constexpr std::uint32_t kEvents = 16;
  static constexpr int kMostRanks = 64;

  // One event's. Apart from the next by a cache line, as all ranks write to it.
  struct alignas(64) Counter {
    std::atomic<std::uint32_t> arrivals;
    std::atomic<std::uint32_t> sleepers;
  };
  struct alignas(64) Rank {
    std::atomic<std::int32_t> process;   // 0: has not joined yet
    std::atomic<std::uint32_t> arrived;  // events, to say who is late
  };
  std::array<Counter, kEvents> counters;
  std::array<Rank, kMostRanks> ranks;
  std::atomic<std::int32_t> broken_by;  // rank + 1; 0: nobody gave up
};

// A sequence of events that every rank of a group arrives at, in the same order. Waiting sleeps in a futex;
// where each rank has a core of its own it spins before.
class Events {
 public:
  Events(EventBoard& board, int rank, int size, bool spin, std::chrono::milliseconds patience);
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // Arrives at the next event; returns its number.
  std::uint32_t arrive();
  std::uint32_t next() const { return next_; }
  // Until all ranks have arrived at this event, which may be no more than kEvents behind the next. Throws
  // Broken: a rank's process has ended, none came for `patience`, or another rank gave up.
  void await(std::uint32_t event);
  // Tells the other ranks that this one will never come.
  void give_up();

 private:
  bool is_complete(std::uint32_t event) const;
  bool spins_until(std::uint32_t event) const;
  void sleep_until(std::uint32_t event);
  void throw_if_hopeless(std::uint32_t event, std::chrono::steady_clock::time_point since);
  bool has_ended(int rank);

  EventBoard& board_;
  int rank_, size_;
  bool spin_;
  std::chrono::milliseconds patience_;
  std::uint32_t next_ = 0;
  std::vector<int> watched_;  // by rank: a descriptor that tells of its process's end; -1: not opened yet
};

}  // namespace bench::shared_memory
