#include "harness/protocol/rank_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"

namespace bench::protocol {
namespace {

template <std::size_t N>
void put(char (&place)[N], std::string_view text) {
  const std::size_t length = std::min(text.size(), N - 1);
  std::memcpy(place, text.data(), length);
  place[length] = '\0';
}

template <std::size_t N>
std::string text_of(const char (&place)[N]) {
  return {place, strnlen(place, N)};
}

}  // namespace

// One rank writes, others read: `version` is odd while it writes, and who reads tries again.
struct RankPages::Page {
  alignas(64) std::atomic<std::uint32_t> version;
  std::atomic<int> pid;
  std::atomic<std::int64_t> failed_at_ns;
  std::int64_t sequence, bytes;
  char phase[40], operation[40], status[24], reason[400];

  template <typename Write>
  void write(const Write& change) {
    version.fetch_add(1, std::memory_order_acquire);
    change();
    version.fetch_add(1, std::memory_order_release);
  }
};

struct RankPages::Shared {
  alignas(64) std::atomic<std::uint32_t> arrived;
  alignas(64) std::atomic<std::uint32_t> generation;
  Page pages[1];  // really one for each rank

  static std::size_t size(int ranks) {
    return sizeof(Shared) + sizeof(Page) * static_cast<std::size_t>(ranks);
  }
};

std::string RankState::where() const {
  if (pid == 0) return "not started yet";
  const std::string in = operation.empty()
                             ? ""
                             : fmt::format(": {}{} (its operation {})", operation,
                                           bytes > 0 ? " of " + format_bytes(bytes) : "", sequence);
  return (phase.empty() ? "at rest" : phase) + in;
}

int RankPages::create(int ranks) {
  const int descriptor = memfd_create("bench-ranks", MFD_CLOEXEC);
  if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(Shared::size(ranks))) != 0)
    throw Error(ErrorKind::environment,
                fmt::format("no memory to share between ranks could be had: {}", std::strerror(errno)));
  return descriptor;
}

RankPages::RankPages(int descriptor, int ranks) : ranks_(ranks) {
  void* const mapped = mmap(nullptr, Shared::size(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED)
    throw Error(ErrorKind::environment,
                fmt::format("the memory that ranks share could not be mapped: {}", std::strerror(errno)));
  shared_ = static_cast<Shared*>(mapped);  // all zeros, which every member begins with
}

RankPages::~RankPages() {
  munmap(shared_, Shared::size(ranks_));
}

RankPages::Page& RankPages::page(int rank) const {
  return shared_->pages[rank];
}

RankState RankPages::state(int rank) const {
  const Page& page = this->page(rank);
  RankState state;
  for (int attempt = 0; attempt < 1000; ++attempt) {  // a rank that was killed while it wrote leaves it odd
    const std::uint32_t before = page.version.load(std::memory_order_acquire);
    state = {.pid = page.pid.load(),
             .phase = text_of(page.phase),
             .operation = text_of(page.operation),
             .sequence = page.sequence,
             .bytes = page.bytes,
             .failed_at_ns = page.failed_at_ns.load(),
             .status = text_of(page.status),
             .reason = text_of(page.reason)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && page.version.load(std::memory_order_relaxed) == before) break;
  }
  return state;
}

void RankPages::join(int rank, int pid) {
  page(rank).pid.store(pid);
}

void RankPages::enter_phase(int rank, std::string_view phase) {
  Page& page = this->page(rank);
  page.write([&] {
    put(page.phase, phase);
    put(page.operation, "");
    page.bytes = 0;
  });
}

void RankPages::enter(int rank, std::string_view operation, std::int64_t bytes) {
  Page& page = this->page(rank);
  page.write([&] {
    put(page.operation, operation);
    page.bytes = bytes;
    ++page.sequence;
  });
}

void RankPages::fail(int rank, std::string_view status, std::string_view reason, std::int64_t at_ns) {
  Page& page = this->page(rank);
  if (page.failed_at_ns.load() != 0) return;
  page.write([&] {
    put(page.status, status);
    put(page.reason, reason);
  });
  page.failed_at_ns.store(at_ns);  // last: who sees it may read the rest
}

int RankPages::first_failed(int ranks) const {
  int first = -1;
  std::int64_t first_ns = 0;
  for (int rank = 0; rank < std::min(ranks, ranks_); ++rank) {
    const std::int64_t at_ns = page(rank).failed_at_ns.load();
    if (at_ns == 0 || (first >= 0 && at_ns >= first_ns)) continue;
    first = rank;
    first_ns = at_ns;
  }
  return first;
}

int RankPages::pid(int rank) const {
  return page(rank).pid.load();
}

std::atomic<std::uint32_t>& RankPages::arrived() {
  return shared_->arrived;
}

std::atomic<std::uint32_t>& RankPages::generation() {
  return shared_->generation;
}

std::string describe_ranks(const RankPages& pages) {
  std::vector<RankState> states;
  for (int rank = 0; rank < pages.ranks(); ++rank) states.push_back(pages.state(rank));
  const auto [least, most] = std::ranges::minmax(states, {}, &RankState::sequence);
  std::vector<std::string> late, others;
  for (int rank = 0; rank < pages.ranks(); ++rank) {
    const RankState& state = states[static_cast<std::size_t>(rank)];
    const bool is_late = least.sequence != most.sequence && state.sequence == least.sequence;
    (is_late ? late : others)
        .push_back(fmt::format("rank {} is {}{}", rank, is_late ? "late, in " : "in ", state.where()));
  }
  late.insert(late.end(), others.begin(), others.end());
  return join(late, "; ");
}

}  // namespace bench::protocol
