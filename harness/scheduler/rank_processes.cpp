#include "harness/scheduler/rank_processes.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace bench::scheduler {
namespace {

constexpr int kPagesFd = 5, kStoreFd = 6;  // in the ranks

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Above the numbers that a child's own have: dup2 onto itself would leave it closed on exec.
int lifted(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, 20);
  close(fd);
  return high;
}

[[noreturn]] void no_socket() {
  throw Error(ErrorKind::environment,
              fmt::format("no socket on 127.0.0.1 for the ranks' store: {}", std::strerror(errno)));
}

// Listens already, so that whoever connects first waits instead of being refused.
int listening_socket(int& port) {
  const int fd = lifted(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (fd < 0 || bind(fd, any, length) != 0 || listen(fd, 1024) != 0 || getsockname(fd, any, &length) != 0)
    no_socket();
  port = ntohs(address.sin_port);
  return fd;
}

}  // namespace

RankProcesses::RankProcesses(const std::vector<ChildProcess::Start>& starts) {
  const int ranks = static_cast<int>(starts.size());
  if (ranks == 1) {
    processes_.push_back(std::make_unique<ChildProcess>(starts.front()));
    return;
  }
  int port = 0;
  const Descriptor store(listening_socket(port));
  const Descriptor pages(lifted(protocol::RankPages::create(ranks)));
  pages_.emplace(pages.get(), ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    ChildProcess::Start start = starts[static_cast<std::size_t>(rank)];
    const auto add = [&](const char* option, int value) {
      start.arguments.insert(start.arguments.end(), {option, fmt::format("{}", value)});
    };
    add("--rank", rank);
    add("--ranks", ranks);
    add("--local-rank", rank);
    add("--local-ranks", ranks);
    add("--store-port", port);
    add("--pages-fd", kPagesFd);
    start.descriptors.emplace_back(pages.get(), kPagesFd);
    if (rank == 0) {
      add("--store-fd", kStoreFd);
      start.descriptors.emplace_back(store.get(), kStoreFd);
    }
    processes_.push_back(std::make_unique<ChildProcess>(start));
  }
}

RankProcesses::End RankProcesses::how_it_ended(int noticed) {
  constexpr int kPatience_ms = 2000;  // the pipe closes some moments before the process is gone
  if (size() == 1)
    return {.how = "it " + leader().fate(kPatience_ms),
            .log_path = leader().log_path(),
            .killed_for_memory = leader().killed_for_memory()};
  int culprit = noticed;
  std::string fate = processes_[static_cast<std::size_t>(culprit)]->fate(kPatience_ms);
  // Ranks leave when they lose another: a signal is the likelier cause than an exit that was seen first.
  for (int rank = 0; rank < size() && !fate.starts_with("was killed"); ++rank) {
    std::string other = processes_[static_cast<std::size_t>(rank)]->fate(0);
    if (!other.starts_with("was killed")) continue;
    culprit = rank;
    fate = std::move(other);
  }
  const ChildProcess& process = *processes_[static_cast<std::size_t>(culprit)];
  return {.how = fmt::format("rank {} {}, in {}", culprit, fate, pages_->state(culprit).where()),
          .log_path = process.log_path(),
          .killed_for_memory = process.killed_for_memory()};
}

void RankProcesses::wait(int patience_ms) {
  for (const auto& process : processes_) process->fate(patience_ms);
}

void RankProcesses::end(int patience_ms) {
  for (const auto& process : processes_) process->ask_to_end();
  for (const auto& process : processes_) process->end(patience_ms);
}

std::string RankProcesses::where() const {
  return pages_ ? protocol::describe_ranks(*pages_) : "";
}

std::optional<protocol::RankState> RankProcesses::failed_for(std::int64_t now_ns, std::int64_t longer_than_ns,
                                                             int& rank) const {
  rank = pages_ ? pages_->first_failed(size()) : -1;
  if (rank < 0) return std::nullopt;
  protocol::RankState state = pages_->state(rank);
  if (now_ns - state.failed_at_ns <= longer_than_ns) return std::nullopt;
  return state;
}

}  // namespace bench::scheduler
