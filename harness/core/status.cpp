#include "harness/core/status.hpp"

#include <array>
#include <utility>

#include "harness/core/text.hpp"

namespace bench {
namespace {

constexpr std::array<std::pair<Status, std::string_view>, 7> kNames{{
    {Status::ok, "ok"},
    {Status::skipped, "skipped"},
    {Status::incorrect, "incorrect"},
    {Status::out_of_memory, "out_of_memory"},
    {Status::failed, "failed"},
    {Status::timed_out, "timed_out"},
    {Status::crashed, "crashed"},
}};

}  // namespace

std::string_view to_text(Status status) {
  for (const auto& [value, name] : kNames)
    if (value == status) return name;
  return "failed";
}

std::string words(Status status) {
  return with_spaces(to_text(status));
}

std::optional<Status> status_from_text(std::string_view text) {
  for (const auto& [value, name] : kNames)
    if (name == text) return value;
  return std::nullopt;
}

bool is_failure(Status status) {
  return status != Status::ok && status != Status::skipped && status != Status::out_of_memory;
}

}  // namespace bench
