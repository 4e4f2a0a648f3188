#include "harness/scheduler/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/machine/memory.hpp"
#include "harness/scheduler/start_remedy.hpp"

extern char** environ;

namespace bench::scheduler {
namespace {

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) merged.push_back(text);
  }
  for (const auto& [name, value] : added) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// `what` failed with this number of errno.
[[noreturn]] void refuse(const std::string& what, int error) {
  const std::string remedy = start_remedy(std::strerror(error));
  throw Error(ErrorKind::environment,
              fmt::format("{}: {}{}{}", what, std::strerror(error), remedy.empty() ? "" : "; ", remedy));
}

[[noreturn]] void no_pipe() {
  refuse("no pipe to a worker could be made", errno);
}

// A descriptor that nobody but the intended child inherits, above those that the child will be given.
class Descriptor {
 public:
  explicit Descriptor(int raw) : fd_(fcntl(raw, F_DUPFD_CLOEXEC, 10)) {
    close(raw);
    if (fd_ < 0) no_pipe();
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

struct Pipe {
  Pipe() : Pipe(make().data()) {}
  Descriptor read_end, write_end;

 private:
  explicit Pipe(const int* raw) : read_end(raw[0]), write_end(raw[1]) {}
  static std::array<int, 2> make() {
    std::array<int, 2> raw;
    if (pipe2(raw.data(), O_CLOEXEC) != 0) no_pipe();
    return raw;
  }
};

}  // namespace

std::string ChildProcess::Start::shown_name() const {
  return name.empty() ? std::filesystem::path(program).filename().string() : name;
}

ChildProcess::ChildProcess(const Start& start)
    : log_path_(start.log_path), kills_before_(machine::kills_for_memory()) {
  Pipe commands, events;

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                   0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, commands.read_end.get(), kCommandFd);
  posix_spawn_file_actions_adddup2(&actions, events.write_end.get(), kEventFd);
  for (const auto& [ours, its] : start.descriptors) posix_spawn_file_actions_adddup2(&actions, ours, its);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> arguments{start.program};
  arguments.insert(arguments.end(), start.arguments.begin(), start.arguments.end());
  std::vector<std::string> environment = merged_environment(start.environment);
  const int error = posix_spawn(&pid_, start.program.c_str(), &actions, &attributes,
                                pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    refuse(fmt::format("{} could not be started (its log goes to {})", start.program, log_path_), error);
  command_fd_ = commands.write_end.release();
  event_fd_ = events.read_end.release();
}

ChildProcess::~ChildProcess() {
  end(0);
  close(command_fd_);
  close(event_fd_);
}

bool ChildProcess::write(const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(command_fd_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    written += static_cast<std::size_t>(count);
  }
  return true;
}

bool ChildProcess::wait_for_end(int patience_ms) {
  for (int waited_ms = 0; !reaped_; ++waited_ms) {
    const pid_t result = waitpid(pid_, &status_, WNOHANG);
    if (result == pid_ || (result < 0 && errno == ECHILD)) reaped_ = true;
    if (reaped_ || waited_ms >= patience_ms) break;
    poll(nullptr, 0, 1);
  }
  return reaped_;
}

void ChildProcess::ask_to_end() {
  if (!wait_for_end(0)) kill(pid_, SIGTERM);
}

void ChildProcess::end(int patience_ms) {
  if (wait_for_end(0)) return;
  if (patience_ms > 0) {
    ask_to_end();
    if (wait_for_end(patience_ms)) return;
  }
  kill(pid_, SIGKILL);
  wait_for_end(10'000);
}

std::string ChildProcess::fate(int patience_ms) {
  if (!wait_for_end(patience_ms)) return "closed its pipe but is still running";
  if (WIFSIGNALED(status_)) {
    const int signal = WTERMSIG(status_);
    killed_for_memory_ = signal == SIGKILL && machine::kills_for_memory() > kills_before_;
    if (killed_for_memory_) return "was killed by the kernel, which had run out of memory";
    return fmt::format("was killed by signal {} ({}{})", signal, strsignal(signal),
                       signal == SIGKILL ? ": somebody's kill -9" : "");
  }
  return fmt::format("exited with code {}", WEXITSTATUS(status_));
}

}  // namespace bench::scheduler
