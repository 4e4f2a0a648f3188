#pragma once

#include <string>

namespace bench::scheduler {

// cases.jsonl, the truth while running: one line a finished case, on the disk before the next case begins.
class Journal {
 public:
  // Creates the file. Throws Error(io).
  explicit Journal(std::string path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Appends one line and waits until it is on the disk. When it does not fit, the file is cut back to the
  // last whole line and Error(io) says so.
  void append(const std::string& line);

 private:
  std::string path_;
  int fd_ = -1;
  long long whole_bytes_ = 0;
};

}  // namespace bench::scheduler
