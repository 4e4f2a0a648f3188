#include "harness/scheduler/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/scheduler/files.hpp"

namespace bench::scheduler {
namespace {

// The length up to and with the last newline.
long long whole_bytes_of(int fd) {
  char block[4096];
  long long end = lseek(fd, 0, SEEK_END);
  while (end > 0) {
    const long long begin = std::max(0LL, end - static_cast<long long>(sizeof block));
    const ssize_t count = pread(fd, block, static_cast<std::size_t>(end - begin), begin);
    if (count <= 0) return end;  // let the reader complain
    for (ssize_t i = count; i-- > 0;)
      if (block[i] == '\n') return begin + i + 1;
    end = begin;
  }
  return 0;
}

}  // namespace

Journal::Journal(std::string path, Start start) : path_(std::move(path)) {
  fd_ = open(path_.c_str(), O_RDWR | O_CREAT | (start == Start::fresh ? O_EXCL : 0) | O_APPEND | O_CLOEXEC,
             0644);
  if (fd_ < 0) fail_to_write(path_, errno);
  // Given up by the kernel however this process ends.
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(fd_);
    throw Error(ErrorKind::usage, fmt::format("{} is being written by another bench; wait for it", path_));
  }
  sync_folder_of(path_);
  if (start == Start::fresh) return;
  whole_bytes_ = whole_bytes_of(fd_);
  if (ftruncate(fd_, whole_bytes_) != 0 || fsync(fd_) != 0) {
    const int error = errno;
    close(fd_);
    fail_to_write(path_, error);
  }
}

Journal::~Journal() {
  if (fd_ >= 0) close(fd_);
}

void Journal::append(const std::string& line) {
  const int error = write_and_sync(fd_, line + "\n");
  if (error != 0) {
    if (ftruncate(fd_, whole_bytes_) != 0) {
      // Readers skip a torn last line anyway.
    }
    fail_to_write(path_, error);
  }
  whole_bytes_ += static_cast<long long>(line.size()) + 1;
}

}  // namespace bench::scheduler
