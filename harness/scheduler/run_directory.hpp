#pragma once

#include <string>

namespace bench::scheduler {

// "2026-11-30T13:53:57Z", now.
std::string utc_now();

// Makes the folder that a run's results go to and returns its path. `out`: the person's --out, which must not
// exist or be empty (Error usage); "": bench-runs/<UTC time>-<workload> here, with the link
// bench-runs/latest. Makes logs/ in it. Throws Error(io) when it cannot be made or written to.
std::string make_run_directory(const std::string& out, const std::string& workload);

// A new folder with logs/ in it among the system's temporary ones, for a run that keeps nothing. Throws
// Error(io).
std::string make_temporary_directory();

// Where `bench report` without a run looks: bench-runs/latest. Throws Error(usage) when there is none.
std::string latest_run_directory();

}  // namespace bench::scheduler
