#include "reports/latency_fits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "reports/notes.hpp"

namespace bench::reports {
namespace {

CaseResult transfer(const std::string& backend, std::int64_t bytes, double step_ns) {
  CaseResult result;
  result.configuration = {.workload = "all-reduce", .values = {{"backend", backend}, {"bytes", bytes}}};
  result.work.amounts = {amounts::bytes_sent(double(bytes))};
  result.summaries = {
      {.metric = "step", .heading = "step", .unit = "ns", .kind = Quantity::time, .value = step_ns, .n = 10}};
  return result;
}

// 50 µs and 2 GB/s, 5 µs and 10 GB/s.
Document two_sweeps() {
  Document document;
  document.run.complete = true;
  for (const std::int64_t bytes : {1'000, 1'000'000, 1'000'000'000}) {
    document.cases.push_back(transfer("slow", bytes, 50e3 + double(bytes) / 2));
    document.cases.push_back(transfer("fast", bytes, 5e3 + double(bytes) / 10));
  }
  return document;
}

TEST(LatencyFits, AreOneForEachSweepOverBytes) {
  EXPECT_EQ(latency_fits_of(two_sweeps()),
            (std::vector<std::string>{
                "latency and bandwidth (busbw) that fit the sizes of each sweep best, by relative errors:",
                "backend:slow: step = 50.0 µs + bytes sent / 2.00 GB/s, off by 0% at most",
                "backend:fast: step = 5.00 µs + bytes sent / 10.0 GB/s, off by 0% at most"}));
}

TEST(LatencyFits, StandAmongTheNotes) {
  const std::vector<std::string> notes = notes_of(two_sweeps());
  EXPECT_NE(
      std::ranges::find(notes, "backend:fast: step = 5.00 µs + bytes sent / 10.0 GB/s, off by 0% at most"),
      notes.end());
}

TEST(LatencyFits, LeaveOutWhatFailedAndWhatAlsoComputes) {
  Document document = two_sweeps();
  document.cases[0].status = Status::failed;
  document.cases[1].work.amounts.push_back(amounts::model_flop(1));
  EXPECT_TRUE(latency_fits_of(document).empty());
}

}  // namespace
}  // namespace bench::reports
