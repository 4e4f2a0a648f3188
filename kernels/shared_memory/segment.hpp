#pragma once

#include <cstddef>
#include <string>

namespace bench::shared_memory {

// Memory that several processes of one host share. It has no name in any file system, only the descriptors
// and mappings of those processes: the kernel frees it with the last of them, however they end.
class Segment {
 public:
  // Zeros. Throws Error(environment).
  static Segment create(std::size_t bytes);
  // What create() made, in another process of the same user: by its address(), while its creator lives.
  // Throws Error(environment).
  static Segment open(const std::string& address);

  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&&) = delete;
  ~Segment();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  // What the creator tells the others: "/proc/4711/fd/5". Empty in a process that opened it.
  const std::string& address() const { return address_; }

 private:
  Segment(int descriptor, std::size_t bytes);

  int descriptor_ = -1;
  std::size_t bytes_ = 0;
  std::byte* data_ = nullptr;
  std::string address_;
};

}  // namespace bench::shared_memory
