#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "harness/cli/commands.hpp"
#include "harness/core/error.hpp"

namespace bench::cli {
namespace {

std::string why_not(int error) {
  return error == EBADF ? "it is closed" : std::strerror(error);
}

}  // namespace

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) return;  // `bench list | head`: the reader has seen all that it wanted
  throw Error(ErrorKind::io, fmt::format("standard output could not be written: {}", why_not(errno)));
}

void tell(const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace bench::cli
