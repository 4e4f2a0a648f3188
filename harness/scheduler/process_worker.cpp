#include "harness/scheduler/process_worker.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "harness/core/build_id.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/protocol/json.hpp"
#include "harness/scheduler/start_remedy.hpp"

namespace bench::scheduler {
namespace {

constexpr std::int64_t kStartLimit_ns = 120'000'000'000;  // a cold disk loads LibTorch's gigabyte slowly
constexpr int kTick_ms = 200;
constexpr int kPatience_ms = 3000;  // between SIGTERM and SIGKILL

std::string last_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line))
    if (!trimmed(line).empty()) last = line;
  return printable(last.substr(0, 300));
}

}  // namespace

ProcessWorker::ProcessWorker(const ChildProcess::Start& start, Clock& clock, const Interrupts& interrupts)
    : process_(start), clock_(clock), interrupts_(interrupts), program_(start.shown_name()) {
  const std::int64_t deadline_ns = clock_.now_ns() + kStartLimit_ns;
  std::string line;
  Wait outcome;
  do {
    outcome = wait_for_line(deadline_ns, line);
  } while (outcome == Wait::tick);
  if (outcome == Wait::interrupted)
    throw Error(ErrorKind::environment, "interrupted while a worker was starting");
  if (outcome != Wait::line) {
    const std::string how =
        outcome == Wait::deadline ? "it did not say hello within 120 s" + last_words() : how_it_ended();
    const std::string remedy = start_remedy(how);
    throw Error(ErrorKind::environment,
                fmt::format("{} did not start: {}; {}", program_, how,
                            remedy.empty() ? "its log is " + process_.log_path() : remedy));
  }
  const protocol::Event event = protocol::event_from_line(line);
  const auto* hello = std::get_if<protocol::Hello>(&event);
  if (hello == nullptr)
    throw Error(ErrorKind::internal, fmt::format("{} did not begin with hello", program_));
  if (hello->protocol != protocol::kProtocolVersion || hello->build_id != build_id())
    throw Error(ErrorKind::environment,
                fmt::format("{} was built from other sources than this bench ({} and {}): build both again",
                            program_, hello->build_id, build_id()));
  hello_ = *hello;
}

ProcessWorker::~ProcessWorker() {
  // A worker at rest leaves at once on Quit; one that hangs is ended.
  process_.write(protocol::to_line(protocol::Command(protocol::Quit{})) + "\n");
  process_.fate(200);
  process_.end(kPatience_ms);
}

std::string ProcessWorker::how_it_ended() {
  return fmt::format("it {}{}", process_.fate(2000), last_words());
}

std::string ProcessWorker::last_words() const {
  const std::string last = last_line_of(process_.log_path());
  return last.empty() ? " and printed nothing" : "; its last words: " + last;
}

Reply ProcessWorker::ended_by_itself() {
  const std::string how = how_it_ended();
  return {.kind = process_.killed_for_memory() ? Reply::Kind::killed_for_memory : Reply::Kind::crashed,
          .event = {},
          .reason = fmt::format("{}: {}", program_, how)};
}

ProcessWorker::Wait ProcessWorker::wait_for_line(std::int64_t deadline_ns, std::string& line) {
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return Wait::line;
    }
    if (interrupts_.signal()) return Wait::interrupted;
    const std::int64_t left_ms = (deadline_ns - clock_.now_ns()) / 1'000'000;
    if (left_ms <= 0) return Wait::deadline;
    pollfd fds[2] = {{process_.event_fd(), POLLIN, 0}, {interrupts_.fd(), POLLIN, 0}};
    const int ready = poll(fds, 2, static_cast<int>(std::min<std::int64_t>(left_ms + 1, kTick_ms)));
    if (ready < 0 && errno != EINTR)
      throw Error(ErrorKind::internal, "poll failed while waiting for a worker");
    if (ready == 0) return Wait::tick;
    if (ready < 0 || (fds[0].revents & (POLLIN | POLLHUP)) == 0) continue;
    char buffer[65536];
    const ssize_t count = read(process_.event_fd(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return is_interrupted_too() ? Wait::interrupted : Wait::closed;
    received_.append(buffer, static_cast<std::size_t>(count));
  }
}

// A signal to each process of a group ends the worker as well, and may reach it first: that is no crash of
// the worker's.
bool ProcessWorker::is_interrupted_too() const {
  pollfd interrupted{interrupts_.fd(), POLLIN, 0};
  poll(&interrupted, 1, kTick_ms);
  return interrupts_.signal().has_value();
}

Reply ProcessWorker::ask(const protocol::Command& command, std::int64_t deadline_ns,
                         const EventListener& listener) {
  if (!process_.write(protocol::to_line(command) + "\n")) {
    // It died between two commands; what it still said before that is read below.
  }
  std::string line;
  for (;;) {
    switch (wait_for_line(deadline_ns, line)) {
      case Wait::tick:
        listener(nullptr);
        continue;
      case Wait::interrupted:
        process_.end(kPatience_ms);
        return {.kind = Reply::Kind::interrupted, .event = {}, .reason = "interrupted"};
      case Wait::deadline:
        process_.end(kPatience_ms);
        return {.kind = Reply::Kind::timed_out, .event = {}, .reason = "the deadline passed"};
      case Wait::closed:
        return ended_by_itself();
      case Wait::line:
        break;
    }
    protocol::Event event;
    try {
      event = protocol::event_from_line(line);
    } catch (const Error& error) {
      process_.end(kPatience_ms);
      return {
          .kind = Reply::Kind::crashed, .event = {}, .reason = fmt::format("{}: {}", program_, error.what())};
    }
    if (std::holds_alternative<protocol::Progress>(event) ||
        std::holds_alternative<protocol::Samples>(event)) {
      listener(&event);
      continue;
    }
    return {.kind = Reply::Kind::answered, .event = std::move(event), .reason = {}};
  }
}

Worker& ProcessWorkerSource::worker() {
  if (worker_ == nullptr) {
    ChildProcess::Start start = start_;
    start.log_path =
        (std::filesystem::path(start_.log_path) / fmt::format("{}-{}.log", start.shown_name(), ++started_))
            .string();
    worker_ = std::make_unique<ProcessWorker>(start, clock_, interrupts_);
  }
  return *worker_;
}

}  // namespace bench::scheduler
