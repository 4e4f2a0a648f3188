#include "harness/scheduler/interrupts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace bench::scheduler {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr std::int64_t kSameNs = 1'000'000'000;

volatile std::sig_atomic_t arrived = 0;
volatile std::int64_t arrived_ns = 0;  // the handler alone uses it, and is not interrupted by itself
int pipe_fds[2] = {-1, -1};

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // a signal handler may
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void remember(int signal) {
  if (arrived != 0) {
    if (now_ns() - arrived_ns >= kSameNs) _exit(128 + signal);
    return;
  }
  arrived_ns = now_ns();
  arrived = signal;
  const int saved = errno;
  const char byte = 0;
  if (write(pipe_fds[1], &byte, 1) < 0) {
    // The pipe is full, so it is readable: that is all it is for.
  }
  errno = saved;
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interrupts::Interrupts() {
  arrived = 0;
  if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) != 0) pipe_fds[0] = pipe_fds[1] = -1;
  struct sigaction action {};
  action.sa_handler = remember;
  for (const int signal : kSignals) sigaddset(&action.sa_mask, signal);
  for (const int signal : kSignals)
    if (signal != SIGHUP || !is_ignored(signal)) sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a worker that died between two commands is seen where we write to it
}

Interrupts::~Interrupts() {
  // After one has arrived the program is about to end by itself; `remember` still needs no pipe.
  for (const int signal : kSignals)
    if (arrived == 0 && !is_ignored(signal)) std::signal(signal, SIG_DFL);
  close(pipe_fds[0]);
  close(pipe_fds[1]);
}

int Interrupts::fd() const {
  return pipe_fds[0];
}

std::optional<int> Interrupts::signal() const {
  if (arrived == 0) return std::nullopt;
  return static_cast<int>(arrived);
}

}  // namespace bench::scheduler
