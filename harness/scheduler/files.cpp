#include "harness/scheduler/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace bench::scheduler {
namespace fs = std::filesystem;
namespace {

void write_in_place(const std::string& path, const std::string& content) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) fail_to_write(path, errno);
  const int error = write_and_sync(fd, content);
  close(fd);
  if (error != 0) fail_to_write(path, error);
}

}  // namespace

void fail_to_write(const std::string& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  throw Error(ErrorKind::io, fmt::format("{} could not be written: {}{}", path, std::strerror(error),
                                         full ? "; free some" : ""));
}

int write_and_sync(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;  // those two: not a file on a disk
}

void sync_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const int fd = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

void write_whole_file(const std::string& named, const std::string& content) {
  std::error_code ignored;
  const fs::path resolved = fs::canonical(named, ignored);
  const std::string path = ignored ? named : resolved.string();
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return write_in_place(path, content);

  const std::string neighbour = fmt::format("{}.{}.partial", path, getpid());
  const int fd = open(neighbour.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail_to_write(named, errno);
  int error = write_and_sync(fd, content);
  close(fd);
  if (error == 0 && rename(neighbour.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(neighbour.c_str());
    fail_to_write(named, error);
  }
  sync_folder_of(path);
}

}  // namespace bench::scheduler
