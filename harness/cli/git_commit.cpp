#include "harness/cli/git_commit.hpp"

#include <array>
#include <cstdio>
#include <memory>

#include "harness/core/text.hpp"

namespace bench::cli {

std::string git_commit() {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen("git describe --always --abbrev=12 --exclude='*' --dirty 2>/dev/null </dev/null", "r"), pclose);
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 256> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) text += buffer.data();
  return printable(trimmed(text));
}

}  // namespace bench::cli
