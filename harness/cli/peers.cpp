#include "harness/cli/peers.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "harness/core/text.hpp"

extern char** environ;

namespace bench::cli {
namespace fs = std::filesystem;
namespace {

// Exits with 0 if torch 2.11 and safetensors are installed. find_spec looks for a package without running it.
constexpr const char* kProbe = R"(
import importlib.util, pathlib, re, sys
torch, safetensors = (importlib.util.find_spec(name) for name in ("torch", "safetensors"))
if torch is None or safetensors is None or not torch.submodule_search_locations:
    sys.exit(3)
text = (pathlib.Path(torch.submodule_search_locations[0]) / "version.py").read_text()
sys.exit(0 if re.search(r"__version__ = '2\.11\.", text) else 3)
)";

bool suits(const std::string& python) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = python, option = "-c", probe = kProbe;
  std::array<char*, 4> arguments{program.data(), option.data(), probe.data(), nullptr};
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return false;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TorchPeer find_torch_peer(const std::string& folder, const std::vector<std::string>& pythons) {
  TorchPeer peer{
      .python = {}, .script = (fs::path(folder) / "peers" / "torch_worker.py").string(), .lacking = {}};
  if (!fs::exists(peer.script)) {
    peer.lacking = fmt::format("{} is missing; the build puts it there: scripts/bench does", peer.script);
    return peer;
  }
  for (const std::string& python : pythons) {
    if (!suits(python)) continue;
    peer.python = python;
    return peer;
  }
  peer.lacking = fmt::format(
      "no Python with torch 2.11 and safetensors is here (tried {}): scripts/setup --peers installs one",
      join(pythons, ", "));
  return peer;
}

std::vector<std::string> candidate_pythons(const std::string& folder) {
  // Who names one wants that one, and no other in its place.
  if (const char* const own = std::getenv("BENCH_PYTHON"); own != nullptr && *own != '\0') return {own};
  std::vector<std::string> pythons;
  // build/PRESET/bin lies three levels below the checkout.
  for (fs::path above = fs::path(folder); above.has_relative_path(); above = above.parent_path()) {
    const fs::path python = above / ".venv" / "bin" / "python3";
    std::error_code ignored;
    if (fs::exists(python, ignored)) pythons.push_back(python.string());
  }
  pythons.emplace_back("python3");
  return pythons;
}

}  // namespace bench::cli
