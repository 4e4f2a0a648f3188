#include "tests/kernels/shared_memory/processes.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <utility>

namespace bench::shared_memory {
namespace {

struct Pipe {
  int read_end, write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) std::abort();
  return {ends[0], ends[1]};
}

void write_all(int descriptor, const std::string& text) {
  if (write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got; (got = read(descriptor, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  return text;
}

[[noreturn]] void be_rank(const std::function<Group()>& join, const RankBody& body, int said) {
  std::string words;
  try {
    Group group = join();
    words = body(group);
  } catch (const std::exception& error) {
    words = error.what();
  }
  write_all(said, words);
  _exit(0);
}

}  // namespace

std::vector<std::string> run_ranks(int size, const RankBody& body, const Options& options) {
  // Rank 0 tells its address through one pipe, from which each of the others takes one line of equal length.
  const Pipe addresses = make_pipe();
  constexpr std::size_t kAddressLength = 64;
  const auto create = [&] {
    Group group = Group::create(size, options);
    std::string line = group.address();
    line.resize(kAddressLength, '\0');
    for (int rank = 1; rank < size; ++rank) write_all(addresses.write_end, line);
    return group;
  };
  std::vector<Pipe> said;
  std::vector<pid_t> processes;
  for (int rank = 0; rank < size; ++rank) {
    said.push_back(make_pipe());
    const pid_t process = fork();
    if (process == 0) {
      const auto join = [&] {
        std::array<char, kAddressLength + 1> line{};
        if (read(addresses.read_end, line.data(), kAddressLength) != kAddressLength) std::abort();
        return Group::join(line.data(), rank);
      };
      if (rank == 0) be_rank(create, body, said.back().write_end);
      be_rank(join, body, said.back().write_end);
    }
    processes.push_back(process);
    close(said.back().write_end);
  }
  std::vector<std::string> words;
  for (int rank = 0; rank < size; ++rank) {
    words.push_back(read_all(said[static_cast<std::size_t>(rank)].read_end));
    close(said[static_cast<std::size_t>(rank)].read_end);
    int status = 0;
    waitpid(processes[static_cast<std::size_t>(rank)], &status, 0);
    if (WIFSIGNALED(status)) words.back() += "killed by signal " + std::to_string(WTERMSIG(status));
  }
  close(addresses.read_end);
  close(addresses.write_end);
  return words;
}

}  // namespace bench::shared_memory
