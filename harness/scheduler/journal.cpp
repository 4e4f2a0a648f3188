#include "harness/scheduler/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/protocol/json.hpp"
#include "harness/scheduler/files.hpp"

namespace bench::scheduler {
namespace {

// Where the line begins that ends with the first `end` bytes: behind the last newline among them. nullopt: it
// cannot be read.
std::optional<long long> line_begin(int fd, long long end) {
  char block[4096];
  while (end > 0) {
    const long long begin = std::max(0LL, end - static_cast<long long>(sizeof block));
    const ssize_t count = pread(fd, block, static_cast<std::size_t>(end - begin), begin);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    for (ssize_t i = count; i-- > 0;)
      if (block[i] == '\n') return begin + i + 1;
    end = begin;
  }
  return 0;
}

// nullopt: it cannot be read.
std::optional<std::string> read_between(int fd, long long begin, long long end) {
  std::string text(static_cast<std::size_t>(end - begin), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count =
        pread(fd, text.data() + done, text.size() - done, begin + static_cast<long long>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  return text;
}

// The length without a last line that was torn. Only the last can be: each is on the disk before the next.
// What cannot be read is left alone: the reader complains.
long long whole_bytes_of(int fd) {
  const long long all = lseek(fd, 0, SEEK_END);
  const std::optional<long long> end = line_begin(fd, all);
  for (std::optional<long long> line_end = end; line_end && *line_end > 0;) {
    const std::optional<long long> begin = line_begin(fd, *line_end - 1);
    const auto line = begin ? read_between(fd, *begin, *line_end) : std::nullopt;
    if (!line) return all;
    if (line->find_first_not_of(" \t\r\n") != std::string::npos)
      return protocol::is_torn(*line) ? *begin : *end;
    line_end = begin;  // readers pass over empty lines
  }
  return end.value_or(all);
}

}  // namespace

Journal::Journal(std::string path, Start start) : path_(std::move(path)) {
  fd_ = open(path_.c_str(), O_RDWR | (start == Start::fresh ? O_CREAT | O_EXCL : 0) | O_APPEND | O_CLOEXEC,
             0644);
  if (fd_ < 0 && errno == EEXIST)
    throw Error(ErrorKind::usage,
                fmt::format("{} is another run's, begun at the same time; name a new folder", path_));
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
