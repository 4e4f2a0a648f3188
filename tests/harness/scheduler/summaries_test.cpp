#include "harness/scheduler/summaries.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace bench::scheduler {
namespace {

CaseResult with_samples(const std::vector<std::int64_t>& host_ns, int steps = 1) {
  CaseResult result;
  result.steps_per_sample = steps;
  result.phase_names = {"forward", "backward"};
  for (const std::int64_t ns : host_ns)
    result.samples.push_back({.host_ns = ns, .phase_ns = {ns / 4, ns / 2}, .steps = steps});
  return result;
}

const Summary& named(const std::vector<Summary>& summaries, const std::string& metric) {
  for (const Summary& summary : summaries)
    if (summary.metric == metric) return summary;
  ADD_FAILURE() << "no " << metric;
  return summaries.front();
}

TEST(Summaries, StepAndPhasesAreMediansPerStep) {
  const auto summaries = summarize(with_samples({4000, 8000, 6000}, 2));
  EXPECT_DOUBLE_EQ(named(summaries, "step").value, 3000);
  EXPECT_DOUBLE_EQ(named(summaries, "forward").value, 750);
  EXPECT_DOUBLE_EQ(named(summaries, "backward").value, 1500);
  EXPECT_EQ(named(summaries, "step").n, 3);
  EXPECT_FALSE(named(summaries, "step").low);  // no interval below 6 samples
}

TEST(Summaries, WarmUpIsNeverMixedIn) {
  CaseResult result = with_samples({1000, 1000, 1000});
  result.samples.insert(result.samples.begin(), {.host_ns = 900'000, .kind = SampleKind::warm_up});
  const Summary step = named(summarize(result), "step");
  EXPECT_EQ(step.n, 3);
  EXPECT_DOUBLE_EQ(*step.mean, 1000);
}

TEST(Summaries, AStepLastsAsLongAsItsSlowestRank) {
  CaseResult result = with_samples({1000, 1000, 1000});
  for (int i = 0; i < 3; ++i)
    result.samples.push_back({.host_ns = 500 + 700 * i, .phase_ns = {1, 1}, .rank = 1});
  const Summary step = named(summarize(result), "step");
  EXPECT_EQ(step.n, 3);  // 1000, 1200, 1900
  EXPECT_DOUBLE_EQ(step.value, 1200);
}

// Of operators: what the device was busy for, where it has a clock of its own.
TEST(Summaries, ADeviceTimeHeadlineTakesTheDevicesClock) {
  CaseResult result = with_samples({4000, 5000, 6000}, 2);
  const SummaryRequest request{.headline = Headline::device_time};
  EXPECT_DOUBLE_EQ(named(summarize(result, request), "step").value, 2500);  // on the CPU
  for (Sample& sample : result.samples) sample.device_ns = sample.host_ns / 10;
  EXPECT_DOUBLE_EQ(named(summarize(result, request), "step").value, 250);
  EXPECT_DOUBLE_EQ(named(summarize(result), "step").value, 2500);
  EXPECT_TRUE(warnings_about_samples(result, 1'000'000, Headline::device_time).empty());
}

TEST(Summaries, ColdCachesShowTheMeanToo) {
  CaseResult result = with_samples({1000, 2000, 6000});
  result.policy.cache = CacheState::cold;
  EXPECT_DOUBLE_EQ(named(summarize(result), "mean_step").value, 3000);
}

TEST(Summaries, AWorkloadMayMakeItsOwnColumnsOfMemory) {
  CaseResult result;
  result.memory = MemoryReport{.peak_allocated_bytes = 10, .phases = {{"forward", 3, 7}}};
  EXPECT_EQ(summarize(result).front().metric, "peak_allocated");
  const auto columns =
      summarize(result, {.memory_columns = [](const Case&, const MemoryReport& memory) {
                  return std::vector<Summary>{
                      {.metric = "fwd", .value = double(memory.phases[0].peak_allocated_bytes)}};
                }});
  ASSERT_EQ(columns.size(), 1u);
  EXPECT_DOUBLE_EQ(columns[0].value, 7);
}

TEST(Summaries, RatesAndTheirIntervalsAreTheStepsTurnedAround) {
  CaseResult result = with_samples({1000, 1100, 1200, 1300, 1400, 1500});
  result.work.amounts = {amounts::model_flop(1300)};
  const auto summaries = summarize(result);
  const Summary& step = named(summaries, "step");
  const Summary& flops = named(summaries, "model_flop_per_second");
  EXPECT_DOUBLE_EQ(flops.value, 1300 / (step.value / 1e9));
  EXPECT_DOUBLE_EQ(*flops.low, 1300 / (*step.high / 1e9));
  EXPECT_DOUBLE_EQ(*flops.high, 1300 / (*step.low / 1e9));
}

// Whatever the amounts are: a collective's bus bandwidth needs no line of the scheduler.
TEST(Summaries, EveryAmountHasItsRateUnlessItWantsNone) {
  CaseResult result = with_samples({1000, 1000, 1000});
  Amount silent = amounts::bytes_sent(7);
  silent.rate_heading.reset();
  result.work.amounts = {amounts::bytes_moved(3000),
                         silent,
                         {"bus_bytes", "bus bytes", "bytes", Quantity::traffic, 500, "busbw"}};
  const auto summaries = summarize(result);
  const Summary& moved = named(summaries, "bytes_moved_per_second");
  EXPECT_EQ(moved.heading, "moved");
  EXPECT_EQ(moved.unit, "bytes/s");
  EXPECT_EQ(moved.kind, Quantity::rate);
  EXPECT_DOUBLE_EQ(moved.value, 3e9);
  EXPECT_DOUBLE_EQ(named(summaries, "bus_bytes_per_second").value, 5e8);
  EXPECT_EQ(named(summaries, "bus_bytes_per_second").heading, "busbw");
  EXPECT_EQ(std::ranges::count(summaries, Quantity::rate, &Summary::kind), 2);
  EXPECT_EQ(std::ranges::count(summaries, Quantity::share, &Summary::kind), 0) << "no arithmetic, no MFU";
}

TEST(Summaries, TheFirstSampledTimeIsTheHeadlineAndKnowsItsClock) {
  CaseResult result = with_samples({4000, 5000, 6000});
  for (Sample& sample : result.samples) sample.device_ns = sample.host_ns / 10;
  result.summaries = summarize(result, {.quantities = {{.metric = "age", .kind = Quantity::time, .value = 1}},
                                        .headline = Headline::device_time});
  ASSERT_NE(headline_time(result), nullptr);
  EXPECT_EQ(headline_time(result)->metric, "step");
  EXPECT_EQ(headline_time(result)->source, TimeSource{TimeSource::Kind::device});
  EXPECT_EQ(named(result.summaries, "backward").source, (TimeSource{TimeSource::Kind::phase, 1}));
}

TEST(Summaries, QuantitiesComeFirstAndStayWithoutSamples) {
  const auto summaries =
      summarize(CaseResult{}, {.quantities = {{.metric = "parameters", .unit = "1", .value = 42}}});
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].metric, "parameters");
}

TEST(JudgeSamples, HarnessShareAboveOnePercentIsAWarning) {
  const CaseResult result = with_samples({10'000, 10'000, 10'000});
  EXPECT_TRUE(warnings_about_samples(result, 100).empty());
  ASSERT_EQ(warnings_about_samples(result, 101).size(), 1u);
  EXPECT_NE(warnings_about_samples(result, 101)[0].text.find("use --timing back-to-back"), std::string::npos);
}

TEST(JudgeSamples, OutliersAreCountedAndKept) {
  CaseResult result = with_samples({1000, 1001, 1002, 1003, 1004, 1005, 1006, 9000});
  ASSERT_EQ(warnings_about_samples(result, 0).size(), 1u);
  EXPECT_NE(warnings_about_samples(result, 0)[0].text.find("1 of 8 samples"), std::string::npos)
      << warnings_about_samples(result, 0)[0].text;
  EXPECT_EQ(named(summarize(result), "step").n, 8);
}

TEST(JudgeSamples, StolenTimeAndThrottlingAreSaid) {
  CaseResult result = with_samples({100'000'000, 100'000'001, 100'000'002});
  result.counters = {{"steal_ms", 2.0}, {"cgroup_throttled_periods", 0.0}};
  EXPECT_TRUE(warnings_about_samples(result, 0).empty());  // below 1% of 300 ms
  result.counters = {{"steal_ms", 30.0}, {"cgroup_throttled_periods", 4.0}};
  EXPECT_EQ(warnings_about_samples(result, 0).size(), 2u);
}

TEST(JudgeSamples, MemoryThatTheGpusDriverGaveMeanwhileIsSaid) {
  CaseResult result = with_samples({100'000'000, 100'000'001, 100'000'002});
  result.counters = {{"device_mallocs", 0.0}};
  EXPECT_TRUE(warnings_about_samples(result, 0).empty());
  result.counters = {{"device_mallocs", 2.0}};
  ASSERT_EQ(warnings_about_samples(result, 0).size(), 1u);
  EXPECT_NE(warnings_about_samples(result, 0)[0].text.find("asked for memory 2 times"), std::string::npos);
}

TEST(HostBoundNote, AboveNinetyPercentOfTheMeasuredSamples) {
  CaseResult result = with_samples({100'000'000, 100'000'000});
  result.samples.push_back({.host_ns = 900'000'000, .kind = SampleKind::warm_up});
  EXPECT_FALSE(host_bound_note(result));  // not watched
  result.counters = {{"launch_cpu_ns", 180e6}};
  EXPECT_FALSE(host_bound_note(result));
  result.counters = {{"launch_cpu_ns", 190e6}};
  EXPECT_NE(host_bound_note(result).value().text.find(
                "host-bound: launching kept the host busy for 95% of the samples"),
            std::string::npos)
      << host_bound_note(result)->text;
  result.counters = {{"launch_cpu_ns", 800e6}};  // of several threads
  EXPECT_NE(host_bound_note(result).value().text.find("for 100% of the samples"), std::string::npos);
  result.policy.timing = Timing::graph;
  EXPECT_FALSE(host_bound_note(result)) << "nothing is launched but the graph";
}

}  // namespace
}  // namespace bench::scheduler
