#pragma once

#include <string>

namespace bench::scheduler {

// cases.jsonl, the truth while running: one line a finished case, on the disk before the next case begins.
class Journal {
 public:
  enum class Start {
    fresh,  // creates the file; Error(usage) where there is one
    // Goes on with one, after cutting off a last line that was torn, with its newline or without.
    resumed,
  };
  // Nobody else writes it for the object's lifetime: Error(usage) when somebody does already. Throws
  // Error(io).
  explicit Journal(std::string path, Start start = Start::fresh);
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
