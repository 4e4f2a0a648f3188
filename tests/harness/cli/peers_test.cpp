#include "harness/cli/peers.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace bench::cli {
namespace {

struct Peers : testing::Test {
  // A stand-in for a Python that ends as the probe would.
  std::string python(const std::string& name, int code) {
    const std::string path = folder.path(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << "#!/bin/sh\nexit " << code << "\n";
    chmod(path.c_str(), 0755);
    return path;
  }
  void add_script() {
    std::filesystem::create_directories(folder.path("bin/peers"));
    std::ofstream(folder.path("bin/peers/torch_worker.py")) << "";
  }
  support::TemporaryFolder folder;
};

TEST_F(Peers, TheFirstPythonWithTorchServes) {
  add_script();
  const TorchPeer peer = find_torch_peer(
      folder.path("bin"), {folder.path("none"), python("bare", 3), python("full", 0), python("other", 0)});
  EXPECT_EQ(peer.lacking, "");
  EXPECT_EQ(peer.python, folder.path("full"));
  EXPECT_EQ(peer.script, folder.path("bin/peers/torch_worker.py"));
}

TEST_F(Peers, WithoutOneTheRemedyIsNamed) {
  add_script();
  const std::string bare = python("bare", 3);
  const std::string lacking = find_torch_peer(folder.path("bin"), {"/nowhere/python3", bare}).lacking;
  EXPECT_NE(lacking.find("scripts/setup --peers"), std::string::npos) << lacking;
  EXPECT_NE(lacking.find("(tried /nowhere/python3, " + bare + ")"), std::string::npos) << lacking;
}

TEST_F(Peers, AMissingScriptIsNamed) {
  EXPECT_NE(
      find_torch_peer(folder.path("bin"), {python("full", 0)}).lacking.find("torch_worker.py is missing"),
      std::string::npos);
}

TEST_F(Peers, OnesOwnPythonIsTheOnlyOneOtherwiseTheCheckoutsComesBeforeTheSystems) {
  setenv("BENCH_PYTHON", "mine", 1);
  const std::string venv = python(".venv/bin/python3", 0);
  EXPECT_EQ(candidate_pythons(folder.path("build/release/bin")), std::vector<std::string>{"mine"});
  unsetenv("BENCH_PYTHON");
  EXPECT_EQ(candidate_pythons(folder.path("build/release/bin")), (std::vector<std::string>{venv, "python3"}));
}

}  // namespace
}  // namespace bench::cli
