#include "harness/scheduler/peer_check.hpp"

#include <filesystem>
#include <variant>

#include <fmt/format.h>

namespace bench::scheduler {

PeerCheck::~PeerCheck() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::optional<PeerCheck::Failure> PeerCheck::provide(const Case& reference, const Policy& policy,
                                                     WorkerPrograms& programs, Clock& clock,
                                                     const CaseListener& listener) {
  const std::string wanted = fmt::format("{} seed {}", reference.id(), policy.seed);
  if (holds_ == wanted) return std::nullopt;
  holds_.clear();

  CaseState state{.phase = "check", .done = 0, .total = 0, .median_ns = std::nullopt};
  listener(state);
  const auto hear = [&](const protocol::Event* event) {
    if (const auto* progress = event == nullptr ? nullptr : std::get_if<protocol::Progress>(event)) {
      state.done = progress->done;
      state.total = progress->total;
    }
    listener(state);
  };
  const std::int64_t deadline_ns = clock.now_ns() + static_cast<std::int64_t>(policy.timeout_s * 1e9);
  const Reply reply = programs.worker_for_work("", 1).ask(
      protocol::WriteCheck{.configuration = reference, .seed = policy.seed, .path = path_}, deadline_ns,
      hear);

  const auto how = [](const std::string& text) {
    return remark(RemarkCode::reference_failed, {{"how", text}});
  };
  switch (reply.kind) {
    case Reply::Kind::answered:
      break;
    case Reply::Kind::crashed:
      return Failure{Status::crashed, how(reply.reason), false, true};
    case Reply::Kind::killed_for_memory:
      return Failure{Status::out_of_memory, how(reply.reason), false, true};
    case Reply::Kind::timed_out:
      return Failure{Status::timed_out,
                     remark(RemarkCode::reference_timed_out, {{"timeout_s", policy.timeout_s}}), false, true};
    case Reply::Kind::interrupted:
      return Failure{Status::failed, how(reply.reason), true, true};
  }
  if (const auto* failed = std::get_if<protocol::Failed>(&reply.event))
    return Failure{failed->status, how(failed->reason)};
  holds_ = wanted;
  return std::nullopt;
}

}  // namespace bench::scheduler
