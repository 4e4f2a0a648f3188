#pragma once

#include <optional>

namespace bench::scheduler {

// Turns SIGINT, SIGTERM and SIGHUP (where nobody, as nohup does, has it ignored) into something that can be
// polled and asked about, for the object's lifetime. One at a time. Another of them a second later or more
// ends the program at once, for whoever does not want to wait for results to be written; before, it is the
// same one, which timeout(1) and shells send to the process and to its group.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();  // one that has arrived goes on being the last
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int fd() const;                     // readable once a signal has arrived
  std::optional<int> signal() const;  // the one that arrived first
};

}  // namespace bench::scheduler
