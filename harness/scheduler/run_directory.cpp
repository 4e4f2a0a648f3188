#include "harness/scheduler/run_directory.hpp"

#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace bench::scheduler {
namespace fs = std::filesystem;
namespace {

constexpr const char* kRuns = "bench-runs";

std::string utc(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm broken_down{};
  gmtime_r(&now, &broken_down);
  char text[64];
  std::strftime(text, sizeof(text), format, &broken_down);
  return text;
}

void make_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    throw Error(ErrorKind::io,
                fmt::format("the run directory {} could not be made: {}; name another with --out",
                            path.string(), error.message()));
  if (access(path.c_str(), W_OK | X_OK) != 0)
    throw Error(
        ErrorKind::io,
        fmt::format("the run directory {} cannot be written to; name another with --out", path.string()));
}

// A link that is always there: made beside the old one and renamed over it. Not worth a run when it fails.
void point_latest_at(const fs::path& runs, const std::string& name) {
  std::error_code ignored;
  const fs::path fresh = runs / fmt::format(".latest-{}", getpid());
  fs::create_directory_symlink(name, fresh, ignored);
  fs::rename(fresh, runs / "latest", ignored);
  if (ignored) fs::remove(fresh, ignored);
}

fs::path make_default_directory(const std::string& workload) {
  const fs::path runs = kRuns;
  make_folders(runs);
  const std::string base = fmt::format("{}-{}", utc("%Y-%m-%dT%H-%M-%SZ"), workload);
  std::string name = base;
  std::error_code error;
  // create_directory says whether it made it, so two runs of one second never share a folder.
  for (int i = 2; !fs::create_directory(runs / name, error); ++i) {
    if (error)
      throw Error(ErrorKind::io,
                  fmt::format("the run directory {} could not be made: {}; name another with --out",
                              (runs / name).string(), error.message()));
    name = fmt::format("{}-{}", base, i);
  }
  point_latest_at(runs, name);
  return runs / name;
}

}  // namespace

std::string utc_now() {
  return utc("%Y-%m-%dT%H:%M:%SZ");
}

std::string make_run_directory(const std::string& out, const std::string& workload) {
  fs::path path = out;
  if (out.empty()) {
    path = make_default_directory(workload);
  } else {
    std::error_code error;
    if (fs::exists(path, error)) {
      if (!fs::is_directory(path, error))
        throw Error(ErrorKind::usage, fmt::format("--out {}: there is a file of that name", out));
      if (!fs::is_empty(path, error))
        throw Error(
            ErrorKind::usage,
            fmt::format("--out {}: the folder holds something already, and a run never overwrites another; "
                        "name a new one",
                        out));
    }
    make_folders(path);
  }
  make_folders(path / "logs");
  return path.string();
}

std::string make_temporary_directory() {
  std::string name = (fs::temp_directory_path() / "bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error(ErrorKind::io, fmt::format("{} could not be made: is the disk full?", name));
  make_folders(fs::path(name) / "logs");
  return name;
}

std::string latest_run_directory() {
  const fs::path latest = fs::path(kRuns) / "latest";
  std::error_code error;
  if (!fs::exists(latest, error))
    throw Error(ErrorKind::usage,
                fmt::format("there is no {} here; name a run directory, or make one with `bench run`",
                            latest.string()));
  return latest.string();
}

}  // namespace bench::scheduler
