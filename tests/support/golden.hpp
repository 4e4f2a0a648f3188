#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace bench::support {

// Compares byte by byte with the file at `path`, a path from the top of the tree (BENCH_SOURCE_DIR, which the
// test's CMakeLists.txt defines). With BENCH_UPDATE_GOLDEN=1 in the environment the file is written instead:
// look at the diff.
inline void expect_golden(const std::string& text, const std::string& path) {
  const std::filesystem::path file = std::filesystem::path(BENCH_SOURCE_DIR) / path;
  const char* update = std::getenv("BENCH_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  std::ifstream stream(file, std::ios::binary);
  ASSERT_TRUE(stream) << path << " is missing; BENCH_UPDATE_GOLDEN=1 writes it";
  const std::string expected{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(text, expected) << path << " differs; if that is meant, BENCH_UPDATE_GOLDEN=1 rewrites it";
}

}  // namespace bench::support
