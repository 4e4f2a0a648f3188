#include "harness/worker/local_barrier.hpp"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>
#include <thread>

#include <fmt/format.h>

#include "harness/worker/ranks.hpp"

namespace bench::worker {
namespace {

constexpr int kSpins = 20'000;  // some 50 us: ranks that take the same steps arrive about as close together

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  constexpr timespec kLook{0, 100'000'000};  // and then see whether the others are well
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &kLook, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

std::string fate_of_peer(const protocol::RankPages& pages, int ranks) {
  if (const int failed = pages.first_failed(ranks); failed >= 0) return fmt::format("rank {} failed", failed);
  for (int rank = 0; rank < ranks && rank < pages.ranks(); ++rank) {
    const int pid = pages.pid(rank);
    if (pid != 0 && kill(pid, 0) != 0 && errno == ESRCH) return fmt::format("rank {} is gone", rank);
  }
  return "";
}

void local_barrier(protocol::RankPages& pages, int ranks, bool may_spin) {
  std::atomic<std::uint32_t>& generation = pages.generation();
  const std::uint32_t mine = generation.load();
  if (pages.arrived().fetch_add(1) + 1 == static_cast<std::uint32_t>(ranks)) {
    pages.arrived().store(0);
    generation.fetch_add(1);
    wake_all(generation);
    return;
  }
  for (int spin = 0; may_spin && spin < kSpins; ++spin) {
    if (generation.load(std::memory_order_acquire) != mine) return;
    std::this_thread::yield();
  }
  while (generation.load() == mine) {
    sleep_while(generation, mine);
    if (generation.load() != mine) return;
    if (const std::string fate = fate_of_peer(pages, ranks); !fate.empty())
      throw PeerLost(fate + " while this one waited for it in a barrier");
  }
}

}  // namespace bench::worker
