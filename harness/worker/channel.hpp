#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace bench::worker {

// The two descriptors that bench handed to this worker. A thread of its own reads commands, so that the
// pipe's closing (bench is gone) ends the process at once, even in the middle of a step.
class Channel {
 public:
  Channel(int command_fd, int event_fd);

  std::string read_line();                   // waits
  void write_line(const std::string& line);  // ends the process when nobody reads any more

 private:
  void read_until_closed();

  int command_fd_, event_fd_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::string> lines_;
};

}  // namespace bench::worker
