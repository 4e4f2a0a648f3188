#include "harness/scheduler/interrupts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace bench::scheduler {
namespace {

volatile std::sig_atomic_t arrived = 0;
int pipe_fds[2] = {-1, -1};

void remember(int signal) {
  if (arrived != 0) _exit(128 + signal);
  arrived = signal;
  const int saved = errno;
  const char byte = 0;
  if (write(pipe_fds[1], &byte, 1) < 0) {
    // The pipe is full, so it is readable: that is all it is for.
  }
  errno = saved;
}

}  // namespace

Interrupts::Interrupts() {
  arrived = 0;
  if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) != 0) pipe_fds[0] = pipe_fds[1] = -1;
  struct sigaction action {};
  action.sa_handler = remember;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a worker that died between two commands is seen where we write to it
}

Interrupts::~Interrupts() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
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
