#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "harness/cli/commands.hpp"
#include "harness/core/error.hpp"

namespace bench::cli {

void print(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  // A reader that had enough (`bench list | head`) is no failure.
  if (!written && errno != EPIPE)
    throw Error(ErrorKind::io, fmt::format("standard output could not be written: {}", std::strerror(errno)));
}

void tell(const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace bench::cli
