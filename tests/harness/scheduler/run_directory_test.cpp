#include "harness/scheduler/run_directory.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bench::scheduler {
namespace {

namespace fs = std::filesystem;

struct RunDirectory : testing::Test {
  void SetUp() override {
    before = fs::current_path();
    fs::current_path(folder.path());
  }
  void TearDown() override { fs::current_path(before); }
  support::TemporaryFolder folder;
  fs::path before;
};

TEST_F(RunDirectory, DefaultIsNamedByTimeAndWorkloadAndLatestPointsAtIt) {
  const std::string path = make_run_directory("", "model");
  EXPECT_TRUE(path.starts_with("bench-runs/20")) << path;
  EXPECT_TRUE(path.ends_with("Z-model")) << path;
  EXPECT_TRUE(fs::is_directory(fs::path(path) / "logs"));
  EXPECT_EQ(fs::canonical("bench-runs/latest"), fs::canonical(path));
  EXPECT_EQ(latest_run_directory(), "bench-runs/latest");
}

TEST_F(RunDirectory, TwoRunsOfOneSecondGetFoldersOfTheirOwn) {
  const std::string first = make_run_directory("", "model");
  const std::string second = make_run_directory("", "model");
  EXPECT_NE(first, second);
  EXPECT_EQ(fs::canonical("bench-runs/latest"), fs::canonical(second));
}

TEST_F(RunDirectory, OutMayBeNewNestedOrEmpty) {
  EXPECT_EQ(make_run_directory("a/b", "model"), "a/b");
  fs::create_directory("empty");
  EXPECT_EQ(make_run_directory("empty", "model"), "empty");
}

TEST_F(RunDirectory, OutThatHoldsSomethingIsRefused) {
  fs::create_directory("full");
  std::ofstream("full/precious") << "x";
  const std::string error = support::error_of(ErrorKind::usage, [] { make_run_directory("full", "model"); });
  EXPECT_NE(error.find("--out full: the folder holds something already"), std::string::npos) << error;
  EXPECT_NE(support::error_of(ErrorKind::usage, [] { make_run_directory("full/precious", "model"); })
                .find("there is a file of that name"),
            std::string::npos);
}

TEST_F(RunDirectory, OutThatCannotBeMadeNamesTheRemedy) {
  std::ofstream("file") << "x";
  const std::string error =
      support::error_of(ErrorKind::io, [] { make_run_directory("file/below", "model"); });
  EXPECT_NE(error.find("name another with --out"), std::string::npos) << error;
}

TEST_F(RunDirectory, WithoutARunThereIsNoLatest) {
  EXPECT_NE(
      support::error_of(ErrorKind::usage, [] { latest_run_directory(); }).find("make one with `bench run`"),
      std::string::npos);
}

}  // namespace
}  // namespace bench::scheduler
