#include "harness/scheduler/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "harness/scheduler/files.hpp"

namespace bench::scheduler {
Journal::Journal(std::string path) : path_(std::move(path)) {
  fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) fail_to_write(path_, errno);
  sync_folder_of(path_);
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
