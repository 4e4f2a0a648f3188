#include "tests/support/example_document.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace bench::support {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

Case model_case(const std::string& size, std::int64_t context) {
  return {.workload = "model",
          .values = {{"size", size},
                     {"vocabulary", std::int64_t{10'000}},
                     {"context", context},
                     {"batch", std::int64_t{4}},
                     {"mode", "train-step"},
                     {"precision", "fp32"},
                     {"attention", "naive"},
                     {"implementation", "eager"},
                     {"optimizer", "adamw"},
                     {"lr", 0.001}}};
}

Summary sampled(const std::string& metric, TimeSource source, double value, double low, double high,
                std::int64_t n) {
  Summary summary{.metric = metric,
                  .heading = metric,
                  .unit = "ns",
                  .kind = Quantity::time,
                  .source = source,
                  .value = value,
                  .n = n};
  if (n >= 6) {
    summary.low = low;
    summary.high = high;
  }
  summary.mean = value * 1.001;
  summary.standard_deviation = (high - low) / 4;
  summary.minimum = low - (high - low) / 8;
  summary.p10 = low;
  summary.p90 = high;
  return summary;
}

Summary rate(const Amount& amount, double step_ns, std::int64_t n) {
  return {.metric = amount.metric + "_per_second",
          .heading = amount.rate_heading.value(),
          .unit = amount.unit + "/s",
          .kind = Quantity::rate,
          .value = amount.per_step / step_ns * 1e9,
          .n = n};
}

// `step_ms` is the median; samples lie around it in steps of a millisecond.
CaseResult measured(const Case& configuration, std::int64_t step_ms, int n, double parameters,
                    double peak_bytes) {
  CaseResult result{.configuration = configuration,
                    .stop_reason = remark(RemarkCode::steps_taken, {{"samples", n}, {"steps_per_sample", 1}}),
                    .steps_per_sample = 1};
  const double step = static_cast<double>(step_ms * kMillisecond);
  result.first_step_ns = step_ms * kMillisecond * 2;
  result.phase_names = {"forward", "backward", "optimizer"};
  for (int i = 0; i < n + 2; ++i) {
    const std::int64_t host_ns = (step_ms + (i * 7) % 5 - 2) * kMillisecond;
    result.samples.push_back(
        {.begin_ns = 9'007'199'254'740'993 + i * 4'000 * kMillisecond,  // 2^53 + 1 and up
         .host_ns = host_ns,
         .phase_ns = {host_ns / 4, host_ns / 2, host_ns / 5},
         .kind = i < 2 ? SampleKind::warm_up : SampleKind::measured});
  }
  result.policy.warmup_steps = 2;
  const double tokens = static_cast<double>(4 * configuration.integer("context"));
  result.work = {.amounts = {amounts::tokens(tokens), amounts::model_flop(6 * parameters * tokens)},
                 .formula = "3 x 2 x parameters x tokens (invented)"};
  result.check = Check{};
  result.check->items = {{"gradient of blocks.0.attention.query", 4.3e-6, 1e-5}, {"loss", 1e-8, 1e-5}};
  result.verification = Check{};
  result.verification->items = {{"loss is finite", 0, 0}};
  result.memory = MemoryReport{.before_bytes = static_cast<std::int64_t>(peak_bytes / 2),
                               .peak_allocated_bytes = static_cast<std::int64_t>(peak_bytes),
                               .peak_by_category = {{"parameters", static_cast<std::int64_t>(peak_bytes / 2)},
                                                    {"gradients", static_cast<std::int64_t>(peak_bytes / 2)}},
                               .phases = {{"forward", static_cast<std::int64_t>(peak_bytes / 2),
                                           static_cast<std::int64_t>(peak_bytes / 4 * 3)},
                                          {"backward", static_cast<std::int64_t>(peak_bytes / 2),
                                           static_cast<std::int64_t>(peak_bytes)}}};
  const auto phase = [](std::size_t index) { return TimeSource{TimeSource::Kind::phase, index}; };
  result.summaries = {{.metric = "parameters", .heading = "parameters", .unit = "1", .value = parameters},
                      sampled("step", {}, step, step * 0.996, step * 1.006, n),
                      sampled("forward", phase(0), step * 0.25, step * 0.24875, step * 0.2525, n),
                      sampled("backward", phase(1), step * 0.5, step * 0.4975, step * 0.506, n),
                      sampled("optimizer", phase(2), step * 0.2, step * 0.196, step * 0.204, n),
                      rate(result.work.amounts[0], step, n),
                      rate(result.work.amounts[1], step, n),
                      {.metric = "peak_allocated",
                       .heading = "peak allocated",
                       .unit = "bytes",
                       .kind = Quantity::memory,
                       .value = peak_bytes}};
  result.counters = {{"involuntary_switches", 12}, {"minor_faults", 4096}};
  return result;
}

}  // namespace

Document empty_document() {
  Document document;
  document.run = {.argv = {"bench", "run", "model"},
                  .workload = "model",
                  .device = "cpu",
                  .begin_utc = "2026-11-30T13:53:57Z",
                  .end_utc = "2026-11-30T13:53:58Z",
                  .planned_cases = 1};
  return document;
}

Document gpu_document() {
  Document document;
  document.run = {.argv = {"bench", "run", "model", "--device", "cuda", "--precision", "bf16-mixed"},
                  .workload = "model",
                  .git_commit = "16f52b1",
                  .build_ids = {{"bench", "0123456789abcdef"}, {"bench-worker-cuda", "0123456789abcdef"}},
                  .device = "cuda:0",
                  .begin_utc = "2026-11-30T13:53:57Z",
                  .end_utc = "2026-11-30T13:54:11Z",
                  .planned_cases = 2,
                  .complete = true};
  document.environment = {.host_os = "Debian GNU/Linux 12 (bookworm), Linux 6.1.0",
                          .cpu_model = "Example(R) CPU @ 2.50GHz",
                          .cpus_online = 16,
                          .cpus_allowed = 16,
                          .memory_total_bytes = 134'217'728'000,
                          .memory_available_bytes = 120'000'000'000,
                          .libraries = {{"torch", "2.11.0+cu130"}}};
  document.environment.gpus = {{.index = 3,
                                .cuda_index = 0,
                                .name = "NVIDIA H200",
                                .uuid = "GPU-00000000-0000-0000-0000-000000000000",
                                .pci_bus_id = "00000000:19:00.0",
                                .driver_version = "580.159.03",
                                .cuda_driver_version = "13.0",
                                .memory_total_bytes = 150'754'820'096,
                                .memory_free_bytes = 150'100'000'000,
                                .power_limit_w = 600,
                                .power_limit_default_w = 700,
                                .sm_clock_max_mhz = 1980,
                                .memory_clock_max_mhz = 3201,
                                .ecc = true,
                                .mig = false,
                                .persistence = true,
                                .compute_mode = "default",
                                .temperature_c = 31,
                                .other_processes = 1,
                                .other_processes_bytes = 1'000'000,
                                .slowdowns = {"thermal slowdown (software)"}}};
  Case configuration = model_case("small", 256);
  configuration.set("precision", std::string("bf16-mixed"));
  document.cases.push_back(measured(configuration, 40, 10, 128'625'408, 2.61e9));
  CaseResult& result = document.cases.back();
  for (Sample& sample : result.samples) sample.device_ns = sample.host_ns - 10'000;
  const auto memory = std::ranges::find(result.summaries, "peak_allocated", &Summary::metric);
  result.summaries.insert(memory, {.metric = "mfu",
                                   .heading = "MFU",
                                   .unit = "%",
                                   .kind = Quantity::share,
                                   .value = result.work.flop() / 40e-3 / 989.5e12 * 100,
                                   .n = 10});
  result.counters["gpu_energy_j"] = 104.5;
  result.counters["gpu_sm_clock_before_mhz"] = 1980;
  result.counters["gpu_sm_clock_after_mhz"] = 1755;
  result.notes = {remark(RemarkCode::power_capped, {{"for_ns", 120e6}}),
                  remark(RemarkCode::mfu_peak, {{"peak_tflops", 989.5},
                                                {"arithmetic", std::string("bf16")},
                                                {"gpu", std::string("NVIDIA H200")},
                                                {"source", std::string("a datasheet")}})};
  document.cases.push_back(result);  // the same in a second process
  document.cases.back().repetition = 1;
  return document;
}

Document example_document() {
  Document document;
  document.run = {
      .argv = {"bench", "run", "model", "--size", "small,medium,large", "--context", "256,512", "--label",
               "a|b `c` <script>alert(1)</script> \x1b[31mred\n# @all"},
      .workload = "model",
      .label = "a|b `c` <script>alert(1)</script> \x1b[31mred\n# @all",
      .seed = 18'446'744'073'709'551'615U,  // 2^64 - 1
      .git_commit = "16f52b1-dirty",
      .build_ids = {{"bench", "0123456789abcdef"}, {"bench-worker", "0123456789abcdef"}},
      .device = "cpu",
      .begin_utc = "2026-11-30T13:53:57Z",
      .end_utc = "2026-11-30T14:03:11Z",
      .planned_cases = 5,
      .complete = true,
  };
  document.environment = {.host_os = "Debian GNU/Linux 12 (bookworm), Linux 6.1.0",
                          .cpu_model = "Example(R) CPU @ 2.50GHz",
                          .cpus_online = 4,
                          .cpus_allowed = 2,
                          .virtual_machine = true,
                          .memory_total_bytes = 16'777'216'000,
                          .memory_available_bytes = 12'000'000'000,
                          .libraries = {{"torch", "2.11.0+cpu"}, {"atcpu", "AVX512"}},
                          .variables = {{"OMP_NUM_THREADS", "2"}},
                          .facts = {{"governor", "performance"}}};
  document.conditions = {{"MALLOC_MMAP_MAX_", "0"}, {"OMP_NUM_THREADS", "2"}, {"denormals", "flushed"}};

  document.cases.push_back(measured(model_case("small", 256), 3487, 10, 128'625'408, 2.61e9));
  document.cases.push_back(measured(model_case("small", 512), 7123, 10, 128'625'408, 4.02e9));
  document.cases.push_back(measured(model_case("medium", 256), 11'904, 4, 423'183'360, 8.51e9));
  CaseResult& cut = document.cases.back();
  cut.stop_reason = remark(RemarkCode::budget_used,
                           {{"samples", 4}, {"steps_per_sample", 1}, {"budget_s", 60.0}, {"asked", 10}});
  cut.warnings = {remark(RemarkCode::time_stolen, {{"stolen_ns", 97e6}})};
  document.cases[0].warnings = cut.warnings;
  document.cases[0].check->items[0].error = 9.1e-6;

  CaseResult memory{.configuration = model_case("large", 256), .status = Status::out_of_memory};
  memory.reason = said("set-up: 14.4 GiB asked for, 11.2 GiB left");
  memory.policy.warmup_steps = 2;
  document.cases.push_back(memory);

  CaseResult wrong{.configuration = model_case("large", 512), .status = Status::incorrect};
  wrong.reason = remark(
      RemarkCode::wrong_result,
      {{"phase", std::string("check")},
       {"what", std::string("gradient of blocks.0.attention.query is off by 3.2e-02, allowed 1.0e-05")}});
  wrong.policy.warmup_steps = 2;
  wrong.check = Check{.passed = false,
                      .reason = "gradient of blocks.0.attention.query is off by 3.2e-02, allowed 1.0e-05",
                      .items = {{"gradient of blocks.0.attention.query", 3.2e-2, 1e-5}}};
  document.cases.push_back(wrong);
  return document;
}

}  // namespace bench::support
