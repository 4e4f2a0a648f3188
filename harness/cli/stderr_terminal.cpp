#include "harness/cli/stderr_terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace bench::cli {

void StderrTerminal::write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::size_t StderrTerminal::columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::unique_ptr<scheduler::Progress> choose_progress(bool quiet, scheduler::Terminal& terminal,
                                                     scheduler::Clock& clock) {
  if (quiet) return scheduler::make_quiet_progress();
  const char* const type = std::getenv("TERM");
  const bool can_overwrite =
      isatty(STDERR_FILENO) == 1 && type != nullptr && std::string_view(type) != "dumb";
  return can_overwrite ? scheduler::make_live_progress(terminal, clock)
                       : scheduler::make_plain_progress(terminal, clock);
}

}  // namespace bench::cli
