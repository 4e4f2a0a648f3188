#include "kernels/shared_memory/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace bench::shared_memory {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::environment, fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Segment::Segment(int descriptor, std::size_t bytes) : descriptor_(descriptor), bytes_(bytes) {
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) {
    const int reason = errno;
    close(descriptor);
    errno = reason;
    fail(fmt::format("{} bytes of shared memory cannot be mapped", bytes));
  }
  data_ = static_cast<std::byte*>(mapped);
}

Segment::Segment(Segment&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(other.bytes_),
      data_(std::exchange(other.data_, nullptr)),
      address_(std::move(other.address_)) {}

Segment::~Segment() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

Segment Segment::create(std::size_t bytes) {
  const int descriptor = memfd_create("bench-shared-memory", MFD_CLOEXEC);
  if (descriptor < 0) fail("no shared memory can be had");
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    const int reason = errno;
    close(descriptor);
    errno = reason;
    fail(fmt::format("{} bytes of shared memory cannot be had", bytes));
  }
  Segment segment(descriptor, bytes);
  segment.address_ = fmt::format("/proc/{}/fd/{}", getpid(), descriptor);
  return segment;
}

Segment Segment::open(const std::string& address) {
  const int descriptor = ::open(address.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) fail(fmt::format("the shared memory {} of rank 0 cannot be opened", address));
  struct stat about {};
  if (fstat(descriptor, &about) != 0 || about.st_size == 0) {
    close(descriptor);
    throw Error(ErrorKind::environment, fmt::format("{} is no shared memory", address));
  }
  return Segment(descriptor, static_cast<std::size_t>(about.st_size));
}

}  // namespace bench::shared_memory
