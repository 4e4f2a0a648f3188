#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/command_line.hpp"
#include "harness/cli/commands.hpp"
#include "harness/core/error.hpp"

namespace bench::cli {
namespace {

int dispatch(const std::vector<std::string>& argv) {
  const Request request = parse_command_line({argv.begin() + 1, argv.end()});
  struct {
    const std::vector<std::string>& argv;
    int operator()(const RunRequest& run) const { return command_run(run, argv); }
    int operator()(const ListRequest& list) const { return command_list(list); }
    int operator()(const CompareRequest& compare) const { return command_compare(compare); }
    int operator()(const ReportRequest& report) const { return command_report(report); }
    int operator()(const EnvRequest& env) const { return command_env(env); }
    int operator()(const Printed& printed) const {
      print(printed.text);
      return 0;
    }
  } const command{argv};
  return std::visit(command, request);
}

// A closed standard descriptor would become the journal or a pipe, and get what is meant for a terminal. It
// stays one that cannot be written: what nobody gets is not taken for printed.
void open_standard_descriptors() {
  for (int fd = open("/dev/null", O_RDONLY); fd >= 0; fd = dup(fd)) {
    if (fd <= STDERR_FILENO) continue;
    close(fd);
    return;
  }
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::environment:
    case ErrorKind::io:
      return 5;
    case ErrorKind::internal:
      break;
  }
  return 1;
}

}  // namespace
}  // namespace bench::cli

int main(int argc, char** argv) {
  bench::cli::open_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is seen where we write
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is an error of write(), as a full disk is
  try {
    return bench::cli::dispatch({argv, argv + argc});
  } catch (const bench::Error& error) {
    bench::cli::tell(fmt::format("bench: {}", error.what()));
    return bench::cli::exit_code(error.kind());
  } catch (const std::exception& error) {
    bench::cli::tell(fmt::format("bench: a bug in bench: {}", error.what()));
    return 1;
  }
}
