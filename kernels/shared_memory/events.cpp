#include "kernels/shared_memory/events.hpp"

#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>

#include <fmt/format.h>

namespace bench::shared_memory {
namespace {

// The words are shared between processes: no FUTEX_PRIVATE_FLAG.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t while_it_is, std::chrono::milliseconds most) {
  const timespec limit{.tv_sec = most.count() / 1000, .tv_nsec = most.count() % 1000 * 1'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, while_it_is, &limit, nullptr, 0);
}
void futex_wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// How long a rank that has a core of its own looks before it sleeps: longer than the stages of a chunk
// differ, far shorter than a time slice.
constexpr std::chrono::microseconds kSpin{500};
// How often a sleeping rank asks whether the others are alive.
constexpr std::chrono::milliseconds kLook{50};

}  // namespace

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "a lock would be private to its process");

Events::Events(EventBoard& board, int rank, int size, bool spin, std::chrono::milliseconds patience)
    : board_(board),
      rank_(rank),
      size_(size),
      spin_(spin),
      patience_(patience),
      watched_(static_cast<std::size_t>(size), -1) {
  board_.ranks.at(static_cast<std::size_t>(rank)).process.store(getpid());
}

Events::~Events() {
  for (const int descriptor : watched_)
    if (descriptor >= 0) close(descriptor);
}

// Each counter serves every kEvents-th event, and its arrivals only grow (modulo 2^32).
bool Events::is_complete(std::uint32_t event) const {
  const std::uint32_t target = static_cast<std::uint32_t>(size_) * (event / EventBoard::kEvents + 1);
  const std::uint32_t arrivals =
      board_.counters[event % EventBoard::kEvents].arrivals.load(std::memory_order_acquire);
  return static_cast<std::int32_t>(arrivals - target) >= 0;
}

std::uint32_t Events::arrive() {
  const std::uint32_t event = next_;
  // A rank that is further ahead than the counters reach would be counted for an older event.
  if (event >= EventBoard::kEvents) await(event - EventBoard::kEvents);
  EventBoard::Counter& counter = board_.counters[event % EventBoard::kEvents];
  board_.ranks[static_cast<std::size_t>(rank_)].arrived.store(event + 1, std::memory_order_relaxed);
  counter.arrivals.fetch_add(1);
  if (is_complete(event) && counter.sleepers.load() > 0) futex_wake_all(counter.arrivals);
  return next_++;
}

void Events::await(std::uint32_t event) {
  if (is_complete(event) || (spin_ && spins_until(event))) return;
  sleep_until(event);
}

bool Events::spins_until(std::uint32_t event) const {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 64; ++i) {
      if (is_complete(event)) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

void Events::sleep_until(std::uint32_t event) {
  EventBoard::Counter& counter = board_.counters[event % EventBoard::kEvents];
  const auto since = std::chrono::steady_clock::now();
  auto next_look = since + kLook;
  counter.sleepers.fetch_add(1);
  for (;;) {
    const std::uint32_t seen = counter.arrivals.load();
    if (is_complete(event)) break;
    futex_wait(counter.arrivals, seen, kLook);
    if (std::chrono::steady_clock::now() < next_look) continue;
    throw_if_hopeless(event, since);  // leaves a sleeper too many, which costs a needless wake at most
    next_look = std::chrono::steady_clock::now() + kLook;
  }
  counter.sleepers.fetch_sub(1);
}

void Events::throw_if_hopeless(std::uint32_t event, std::chrono::steady_clock::time_point since) {
  if (is_complete(event)) return;
  const bool out_of_patience = std::chrono::steady_clock::now() - since > patience_;
  for (int rank = 0; rank < size_; ++rank) {
    const EventBoard::Rank& other = board_.ranks[static_cast<std::size_t>(rank)];
    if (static_cast<std::int32_t>(other.arrived.load() - event) > 0) continue;
    const std::int32_t process = other.process.load();
    if (process != 0 && has_ended(rank)) {
      give_up();
      throw Broken(fmt::format("rank {} (process {}) has ended", rank, process));
    }
    if (out_of_patience) {
      give_up();
      throw Broken(process == 0 ? fmt::format("rank {} has not joined within {} ms", rank, patience_.count())
                                : fmt::format("rank {} (process {}) has not come within {} ms", rank, process,
                                              patience_.count()));
    }
  }
  if (const std::int32_t by = board_.broken_by.load(); by != 0)
    throw Broken(fmt::format("rank {} has given up", by - 1));
}

void Events::give_up() {
  std::int32_t nobody = 0;
  board_.broken_by.compare_exchange_strong(nobody, rank_ + 1);
}

// A descriptor of the process, unlike its number, tells of a process that has ended but was not waited for.
bool Events::has_ended(int rank) {
  int& watched = watched_[static_cast<std::size_t>(rank)];
  const std::int32_t process = board_.ranks[static_cast<std::size_t>(rank)].process.load();
  if (watched < 0) watched = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (watched < 0) return errno == ESRCH || (kill(process, 0) != 0 && errno == ESRCH);  // a kernel before 5.3
  pollfd about{.fd = watched, .events = POLLIN, .revents = 0};
  return poll(&about, 1, 0) > 0;
}

}  // namespace bench::shared_memory
