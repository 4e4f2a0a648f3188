#include "harness/worker/channel.hpp"

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace bench::worker {

Channel::Channel(int command_fd, int event_fd) : command_fd_(command_fd), event_fd_(event_fd) {
  std::thread([this] { read_until_closed(); }).detach();
}

void Channel::read_until_closed() {
  std::string partial;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(command_fd_, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(0);  // bench has gone: nothing here is worth finishing
    partial.append(buffer, static_cast<std::size_t>(count));
    for (std::size_t end; (end = partial.find('\n')) != std::string::npos; partial.erase(0, end + 1)) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(partial.substr(0, end));
      arrived_.notify_one();
    }
  }
}

std::string Channel::read_line() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return !lines_.empty(); });
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

void Channel::write_line(const std::string& line) {
  const std::string whole = line + "\n";
  std::string_view rest = whole;
  while (!rest.empty()) {
    const ssize_t count = write(event_fd_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) _exit(0);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace bench::worker
