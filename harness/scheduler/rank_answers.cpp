#include "harness/scheduler/rank_answers.hpp"

#include <limits>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace bench::scheduler {
namespace {

using protocol::Event;
using protocol::Failed;

std::int64_t failed_at_ns(const Failed& failed) {
  return failed.at_ns == 0 ? std::numeric_limits<std::int64_t>::max() : failed.at_ns;
}

const Failed* first_failure(const Event& of_rank_0, const std::vector<Event>& of_others) {
  const auto* first = std::get_if<Failed>(&of_rank_0);
  for (const Event& event : of_others) {
    const auto* const failed = std::get_if<Failed>(&event);
    if (failed != nullptr && (first == nullptr || failed_at_ns(*failed) < failed_at_ns(*first)))
      first = failed;
  }
  return first;
}

std::string of_rank(int rank, const std::string& what) {
  return fmt::format("rank {}: {}", rank, what);
}

void merge_check(Check& check, const Check& other, int rank) {
  if (!check.passed || other.passed) return;
  check = other;
  check.reason = of_rank(rank, other.reason);
}

void merge(protocol::Prepared& answer, const protocol::Prepared& other) {
  merge_check(answer.check, other.check, other.rank);
}

void merge(protocol::Done& answer, const protocol::Done& other) {
  if (answer.check && other.check) merge_check(*answer.check, *other.check, other.rank);
  if (answer.memory && other.memory &&
      other.memory->peak_allocated_bytes > answer.memory->peak_allocated_bytes)
    answer.memory = other.memory;
  for (const auto& [name, value] : other.counters) answer.counters[name] += value;
}

void merge(auto&, const auto&) {}

}  // namespace

Event merge_answers(Event of_rank_0, const std::vector<Event>& of_others) {
  if (of_others.empty()) return of_rank_0;
  if (const Failed* const first = first_failure(of_rank_0, of_others)) {
    Failed failed = *first;
    failed.reason = of_rank(failed.rank, failed.reason);
    failed.rank = 0;
    return failed;
  }
  for (const Event& other : of_others)
    std::visit([](auto& answer, const auto& concrete) { merge(answer, concrete); }, of_rank_0, other);
  return of_rank_0;
}

}  // namespace bench::scheduler
