#pragma once

#include <optional>

namespace bench::scheduler {

// Turns SIGINT and SIGTERM into something that can be polled and asked about, for the object's lifetime. One
// at a time. A second signal of either kind ends the program at once, for whoever does not want to wait for
// results to be written.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int fd() const;                     // readable once a signal has arrived
  std::optional<int> signal() const;  // the one that arrived first
};

}  // namespace bench::scheduler
