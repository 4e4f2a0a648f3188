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

ProcessWorker::ProcessWorker(const std::vector<ChildProcess::Start>& by_rank, Clock& clock,
                             const Interrupts& interrupts)
    : processes_(by_rank), clock_(clock), interrupts_(interrupts), program_(by_rank.front().shown_name()) {
  const std::int64_t deadline_ns = clock_.now_ns() + kStartLimit_ns;
  std::string line;
  for (int rank = processes_.size() - 1; rank >= 0; --rank) {  // the leader's comes last
    Wait outcome;
    do {
      outcome = wait_for_line(deadline_ns, line);
    } while (outcome == Wait::tick);
    require_started(outcome);
    take_hello(line);
  }
}

void ProcessWorker::require_started(Wait outcome) {
  if (outcome == Wait::interrupted)
    throw Error(ErrorKind::environment, "interrupted while a worker was starting");
  if (outcome != Wait::line) {
    const std::string how = outcome == Wait::deadline ? "it did not say hello within 120 s" +
                                                            last_words(processes_.leader().log_path())
                                                      : how_it_ended();
    const std::string remedy = start_remedy(how);
    throw Error(ErrorKind::environment,
                fmt::format("{} did not start: {}; {}", program_, how,
                            remedy.empty() ? "its log is " + processes_.leader().log_path() : remedy));
  }
}

void ProcessWorker::take_hello(const std::string& line) {
  const protocol::Event event = protocol::event_from_line(line);
  const auto* hello = std::get_if<protocol::Hello>(&event);
  if (hello == nullptr)
    throw Error(ErrorKind::internal, fmt::format("{} did not begin with hello", program_));
  if (hello->protocol != protocol::kProtocolVersion || hello->build_id != build_id())
    throw Error(ErrorKind::environment,
                fmt::format("{} was built from other sources than this bench ({} and {}): build both again",
                            program_, hello->build_id, build_id()));
  if (hello->rank == 0) hello_ = *hello;
}

ProcessWorker::~ProcessWorker() {
  // A worker at rest leaves at once on Quit; one that hangs is ended.
  processes_.leader().write(protocol::to_line(protocol::Command(protocol::Quit{})) + "\n");
  processes_.wait(200);
  processes_.end(kPatience_ms);
}

std::string ProcessWorker::how_it_ended() {
  const RankProcesses::End end = processes_.how_it_ended(closed_rank_);
  killed_for_memory_ = end.killed_for_memory;
  return end.how + last_words(end.log_path);
}

std::string ProcessWorker::last_words(const std::string& log_path) {
  const std::string last = last_line_of(log_path);
  return last.empty() ? " and printed nothing" : "; its last words: " + last;
}

Reply ProcessWorker::ended_by_itself() {
  const std::string how = how_it_ended();
  processes_.end(kPatience_ms);  // the other ranks, which wait for it
  return {.kind = killed_for_memory_ ? Reply::Kind::killed_for_memory : Reply::Kind::crashed,
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
    // The leader's events, signals, and the ends of other ranks, who write nothing themselves.
    std::vector<pollfd> fds{{processes_.event_fd(0), POLLIN, 0}, {interrupts_.fd(), POLLIN, 0}};
    for (int rank = 1; rank < processes_.size(); ++rank)
      fds.push_back({processes_.event_fd(rank), POLLIN, 0});
    const int ready =
        poll(fds.data(), fds.size(), static_cast<int>(std::min<std::int64_t>(left_ms + 1, kTick_ms)));
    if (ready < 0 && errno != EINTR)
      throw Error(ErrorKind::internal, "poll failed while waiting for a worker");
    if (ready == 0) return Wait::tick;
    if (ready < 0) continue;
    for (std::size_t rank = 1; rank + 1 < fds.size(); ++rank) {
      if ((fds[rank + 1].revents & POLLHUP) == 0) continue;
      closed_rank_ = static_cast<int>(rank);
      return is_interrupted_too() ? Wait::interrupted : Wait::closed;
    }
    if ((fds[0].revents & (POLLIN | POLLHUP)) == 0) continue;
    char buffer[65536];
    const ssize_t count = read(processes_.event_fd(0), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      closed_rank_ = 0;
      return is_interrupted_too() ? Wait::interrupted : Wait::closed;
    }
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
  if (!processes_.leader().write(protocol::to_line(command) + "\n")) {
    // It died between two commands; what it still said before that is read below.
  }
  std::string line;
  std::vector<protocol::Event> of_others;
  for (;;) {
    switch (wait_for_line(deadline_ns, line)) {
      case Wait::tick:
        listener(nullptr);
        if (auto reply = unanswered_failure()) return std::move(*reply);
        continue;
      case Wait::interrupted:
        processes_.end(kPatience_ms);
        return {.kind = Reply::Kind::interrupted, .event = {}, .reason = "interrupted"};
      case Wait::deadline: {
        std::string where = processes_.where();
        processes_.end(kPatience_ms);
        return {.kind = Reply::Kind::timed_out, .event = {}, .reason = std::move(where)};
      }
      case Wait::closed:
        return ended_by_itself();
      case Wait::line:
        break;
    }
    protocol::Event event;
    try {
      event = protocol::event_from_line(line);
    } catch (const Error& error) {
      processes_.end(kPatience_ms);
      return {
          .kind = Reply::Kind::crashed, .event = {}, .reason = fmt::format("{}: {}", program_, error.what())};
    }
    if (std::holds_alternative<protocol::Progress>(event) ||
        std::holds_alternative<protocol::Samples>(event)) {
      listener(&event);
      continue;
    }
    if (std::visit([](const auto& concrete) { return concrete.rank; }, event) != 0) {
      of_others.push_back(std::move(event));
      continue;
    }
    return {.kind = Reply::Kind::answered,
            .event = std::move(event),
            .reason = {},
            .of_others = std::move(of_others)};
  }
}

// A rank has failed, and others wait for it in an operation that has no end: of a GPU, which no exception
// reaches.
std::optional<Reply> ProcessWorker::unanswered_failure() {
  constexpr std::int64_t kAnswerLimit_ns = 5'000'000'000;
  int rank = -1;
  const auto state = processes_.failed_for(clock_.now_ns(), kAnswerLimit_ns, rank);
  if (!state) return std::nullopt;
  processes_.end(kPatience_ms);
  return Reply{.kind = Reply::Kind::answered,
               .event = protocol::Failed{.rank = rank,
                                         .status = status_from_text(state->status).value_or(Status::failed),
                                         .reason = state->reason,
                                         .worker_unusable = true,
                                         .at_ns = state->failed_at_ns},
               .reason = {}};
}

Worker& ProcessWorkerSource::worker(int ranks) {
  if (worker_ == nullptr) {
    std::vector<ChildProcess::Start> by_rank = start_(ranks);
    ++started_;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      ChildProcess::Start& start = by_rank[rank];
      const std::string of_rank = by_rank.size() == 1 ? "" : fmt::format("-rank-{}", rank);
      start.log_path = (std::filesystem::path(start.log_path) /
                        fmt::format("{}-{}{}.log", start.shown_name(), started_, of_rank))
                           .string();
    }
    worker_ = std::make_unique<ProcessWorker>(by_rank, clock_, interrupts_);
  }
  return *worker_;
}

}  // namespace bench::scheduler
