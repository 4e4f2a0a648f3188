// The tool that the other tests rely on.
#include <nvtx3/nvToolsExt.h>

#include "tests/harness/trace/recording.hpp"

namespace bench::testing {
namespace {

using NvtxRecorder = NvtxRecording;

TEST_F(NvtxRecorder, SeesRangesWithoutADomainAndSaysThatTheyAreNotRegistered) {
  nvtxRangePushA("a \"quoted\" name");
  nvtxRangePop();
  const std::vector<NvtxEvent> seen = events();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].event, "push");
  EXPECT_EQ(seen[0].domain, "");
  EXPECT_EQ(seen[0].name, "a \"quoted\" name");
  EXPECT_FALSE(seen[0].registered);
  EXPECT_EQ(seen[0].payload, std::nullopt);
  EXPECT_EQ(seen[1].event, "pop");
  EXPECT_EQ(seen[1].name, "a \"quoted\" name");
}

TEST_F(NvtxRecorder, ShowsAPopThatHasNoPush) {
  nvtxRangePop();
  const std::vector<NvtxEvent> seen = events();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].level, -1);
}

TEST_F(NvtxRecorder, KeepsTheStacksOfDomainsApart) {
  nvtxDomainHandle_t other = nvtxDomainCreateA("other");
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = "inner";
  nvtxRangePushA("outer");
  nvtxDomainRangePushEx(other, &event);
  nvtxRangePop();
  nvtxDomainRangePop(other);
  const std::vector<NvtxEvent> seen = events();
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[1].level, 0);
  EXPECT_EQ(seen[1].domain, "other");
  EXPECT_EQ(seen[2].name, "outer");
  EXPECT_EQ(seen[3].name, "inner");
}

}  // namespace
}  // namespace bench::testing
