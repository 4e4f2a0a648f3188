#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bench {

// How a case ended. Every status but `ok` carries a reason that names the phase in which it happened.
enum class Status { ok, skipped, incorrect, out_of_memory, failed, timed_out, crashed };

std::string_view to_text(Status status);
std::string words(Status status);  // "out of memory"
std::optional<Status> status_from_text(std::string_view text);

// True for the statuses that make `bench run` exit with 1. Running out of memory and being skipped are
// results.
bool is_failure(Status status);

}  // namespace bench
