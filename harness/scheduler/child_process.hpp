#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench::scheduler {

// A started program with a pipe to it and one from it; what it prints goes to a file. Ended and reaped on
// destruction.
class ChildProcess {
 public:
  struct Start {
    std::string program;
    std::vector<std::string> arguments;                 // without the program itself
    std::map<std::string, std::string> environment;     // added to ours, replacing
    std::string log_path;                               // standard output and error, appended
    std::vector<std::pair<int, int>> descriptors = {};  // further ones: ours, and its number in the child
    std::string name = {};  // what messages and logs call it; empty: the program's file name

    std::string shown_name() const;
  };
  // The child reads commands from descriptor kCommandFd and writes events to kEventFd.
  static constexpr int kCommandFd = 3, kEventFd = 4;

  // Starts by exec (profilers skip forks that do not). To be called on the main thread: the child asks to be
  // killed when the thread that started it ends. Throws Error(environment).
  explicit ChildProcess(const Start& start);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int event_fd() const { return event_fd_; }
  // False when the child reads no more.
  bool write(const std::string& text);
  // Sends SIGTERM and does not wait. Harmless on one that has ended.
  void ask_to_end();
  // Asks it to end, waits up to `patience_ms`, then kills it. Harmless on one that has ended.
  void end(int patience_ms);
  // Waits for the end up to `patience_ms`; what became of it, in words: "was killed by signal 11
  // (Segmentation fault)".
  std::string fate(int patience_ms);
  // Whether what ended it was kill -9 while the kernel killed a process for want of memory: the kernel does
  // not say which. Asked after fate().
  bool killed_for_memory() const { return killed_for_memory_; }
  const std::string& log_path() const { return log_path_; }

 private:
  bool wait_for_end(int patience_ms);

  pid_t pid_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  int command_fd_ = -1, event_fd_ = -1;
  std::string log_path_;
  std::optional<std::int64_t> kills_before_;  // machine::kills_for_memory() when it was started
  bool killed_for_memory_ = false;
};

}  // namespace bench::scheduler
