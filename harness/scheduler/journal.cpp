#include "harness/scheduler/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace bench::scheduler {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(ErrorKind::io, fmt::format("{} could not be written: {}", path, std::strerror(error)));
}

// 0, or the errno that stopped it.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return fsync(fd) == 0 || errno == EINVAL ? 0 : errno;  // EINVAL: not a file that can be synchronised
}

}  // namespace

Journal::Journal(std::string path) : path_(std::move(path)) {
  fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) fail(path_, errno);
}

Journal::~Journal() {
  if (fd_ >= 0) close(fd_);
}

void Journal::append(const std::string& line) {
  const int error = write_all(fd_, line + "\n");
  if (error != 0) {
    if (ftruncate(fd_, whole_bytes_) != 0) {
      // Readers skip a torn last line anyway.
    }
    fail(path_, error);
  }
  whole_bytes_ += static_cast<long long>(line.size()) + 1;
}

void write_whole_file(const std::string& path, const std::string& content) {
  const std::string neighbour = path + ".partial";
  const int fd = open(neighbour.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail(path, errno);
  int error = write_all(fd, content);
  close(fd);
  if (error == 0 && rename(neighbour.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(neighbour.c_str());
    fail(path, error);
  }
}

}  // namespace bench::scheduler
