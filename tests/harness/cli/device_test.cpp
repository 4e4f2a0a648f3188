#include "harness/cli/device.hpp"

#include <sys/stat.h>

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/expect_error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bench::cli {
namespace {

struct Devices : testing::Test {
  void add_worker(const std::string& name) {
    std::ofstream(folder.path(name)) << "#!/bin/sh\n";
    chmod(folder.path(name).c_str(), 0755);
  }
  std::string refusal(ErrorKind kind, const std::string& asked, int gpus) {
    return support::error_of(kind, [&] { choose_device(asked, {.nvidia_devices = gpus}, folder.path()); });
  }
  support::TemporaryFolder folder;
};

TEST_F(Devices, AutoSaysWhatItChoseAndWhy) {
  add_worker("bench-worker");
  EXPECT_EQ(choose_device("auto", {}, folder.path()).device, "cpu");
  EXPECT_EQ(choose_device("auto", {}, folder.path()).why, "this machine has no NVIDIA GPU with a driver");
  EXPECT_EQ(choose_device("auto", {.nvidia_devices = 1}, folder.path()).device, "cpu");
  add_worker("bench-worker-cuda");
  EXPECT_EQ(choose_device("auto", {.nvidia_devices = 1}, folder.path()).device, "cuda:0");
}

TEST_F(Devices, CudaWithoutGpuDriverOrWorkerIsTheEnvironmentsFault) {
  add_worker("bench-worker");
  EXPECT_NE(refusal(ErrorKind::environment, "cuda", 0).find("no NVIDIA GPU with a driver"),
            std::string::npos);
  EXPECT_NE(refusal(ErrorKind::environment, "cuda", 1).find("no bench-worker-cuda"), std::string::npos);
  EXPECT_NE(refusal(ErrorKind::environment, "cuda:3", 2).find("has 2 GPUs, counted from 0"),
            std::string::npos);
}

TEST_F(Devices, AnotherWordIsAUsageErrorWithTheNearest) {
  EXPECT_EQ(refusal(ErrorKind::usage, "cud", 0), "--device: there is no \"cud\"; did you mean cuda?");
  EXPECT_EQ(refusal(ErrorKind::usage, "cuda:x", 0).substr(0, 32), "--device: there is no \"cuda:x\"; ");
}

TEST_F(Devices, AMissingWorkerIsNamed) {
  EXPECT_NE(refusal(ErrorKind::environment, "cpu", 0).find("bench-worker is not beside bench"),
            std::string::npos);
}

}  // namespace
}  // namespace bench::cli
