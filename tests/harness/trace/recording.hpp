#pragma once

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/nvtx_events.hpp"

namespace bench::testing {

// A test that sees this process's NVTX events. Only under ctest (or with NVTX_INJECTION64_PATH set by hand):
// NVTX looks for its tool once, at a process's first NVTX call.
class NvtxRecording : public ::testing::Test {
 protected:
  void SetUp() override;
  // Of the whole process: registrations happen once, whichever test came first.
  static std::vector<NvtxEvent> all_events();
  // Push, pop, start, end and mark since this test began.
  std::vector<NvtxEvent> events() const;

 private:
  std::size_t earlier_ = 0;
};

}  // namespace bench::testing
