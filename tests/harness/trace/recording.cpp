#include "tests/harness/trace/recording.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <nvtx3/nvToolsExt.h>

namespace bench::testing {
namespace {

std::string output_path() {
  return (std::filesystem::temp_directory_path() / ("bench-nvtx-" + std::to_string(getpid()) + ".jsonl"))
      .string();
}

class Output : public ::testing::Environment {
 public:
  void SetUp() override {
    std::filesystem::remove(output_path());
    setenv("NVTX_RECORDER_OUTPUT", output_path().c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove(output_path()); }
};

const ::testing::Environment* const output = ::testing::AddGlobalTestEnvironment(new Output);

bool is_registration(const NvtxEvent& event) {
  return event.event == "domain" || event.event == "string";
}

}  // namespace

void NvtxRecording::SetUp() {
  nvtxMarkA("test begins");  // attaches the tool, and proves it
  ASSERT_FALSE(all_events().empty())
      << "no NVTX tool is attached: run through ctest, or set NVTX_INJECTION64_PATH";
  earlier_ = 0;
  earlier_ = events().size();
}

std::vector<NvtxEvent> NvtxRecording::all_events() {
  return read_nvtx_events(output_path(), getpid());
}

std::vector<NvtxEvent> NvtxRecording::events() const {
  std::vector<NvtxEvent> result = all_events();
  std::erase_if(result, is_registration);
  result.erase(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(earlier_));
  return result;
}

}  // namespace bench::testing
