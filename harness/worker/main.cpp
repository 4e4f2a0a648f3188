#include <unistd.h>

#include <cstdio>
#include <exception>
#include <memory>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/machine/machine.hpp"
#include "harness/protocol/json.hpp"
#include "harness/registry/expand.hpp"
#include "harness/registry/registry.hpp"
#include "harness/worker/arguments.hpp"
#include "harness/worker/counting_allocator.hpp"
#include "harness/worker/denormals.hpp"
#include "harness/worker/devices.hpp"
#include "harness/worker/facts.hpp"
#include "harness/worker/lifetime.hpp"
#include "harness/worker/serve.hpp"
#include "harness/worker/session.hpp"

namespace bench::worker {
namespace {

// Returns the exit code: 0, or 1 when the case did not come out right.
int run_alone(const Arguments& arguments, Device& device, const protocol::Hello& hello) {
  const registry::PlannedCase planned =
      registry::case_from_id(arguments.case_id, Policy{.steps = arguments.steps, .seed = arguments.seed});
  const registry::WorkloadSpec& spec = registry::require_workload(planned.configuration.workload);
  if (spec.program && !spec.program(planned.configuration).empty())
    throw Error(ErrorKind::usage, "another program than bench-worker runs this case: bench run starts it");
  if (spec.supports) {
    const registry::Support support =
        spec.supports(planned.configuration, device.name(), machine::read_machine());
    if (!support.yes) throw Error(ErrorKind::environment, support.reason);
  }
  const int warmup = arguments.warmup >= 0 ? arguments.warmup : planned.policy.warmup_steps;

  bool good = true;
  const auto print = [&](const protocol::Event& event) {
    fmt::print("{}\n", protocol::to_line(event));
    std::fflush(stdout);
    if (const auto* prepared = std::get_if<protocol::Prepared>(&event)) good = good && prepared->check.passed;
    if (const auto* done = std::get_if<protocol::Done>(&event))
      good = good && (!done->check || done->check->passed);
    if (std::holds_alternative<protocol::Failed>(event)) good = false;
  };
  Session session(device, print);
  print(hello);
  const std::vector<protocol::Command> script{
      protocol::Prepare{.configuration = planned.configuration,
                        .seed = arguments.seed,
                        .cache = planned.policy.cache,
                        .timing = planned.policy.timing,
                        .headline = spec.headline,
                        .check = arguments.check,
                        .inject_fault = arguments.inject_fault},
      protocol::Measure{.kind = SampleKind::warm_up, .samples = warmup},
      protocol::Measure{.kind = SampleKind::measured, .samples = arguments.steps},
      protocol::Verify{},
      protocol::Observe{.pass = protocol::Pass::memory},
      protocol::Release{},
  };
  for (const protocol::Command& command : script) {
    session.handle(command);
    if (!good) return 1;
  }
  return 0;
}

int run(int argc, char** argv) {
  const Arguments arguments = parse_arguments(argc, argv);
  if (arguments.help) {
    fmt::print("{}", usage_text(program_name()));
    return 0;
  }
  const bool served = arguments.command_fd >= 0 && arguments.event_fd >= 0;
  if (!served && arguments.case_id.empty())
    throw Error(ErrorKind::usage, "it is started by bench; by itself it needs --case ID (see --help)");
  if (served) live_and_die_with(arguments.parent_pid);
  volunteer_for_the_oom_killer();

  limit_cases(arguments.memory_limit_bytes);
  const std::string name = arguments.device.empty() ? std::string(default_device_name()) : arguments.device;
  const std::unique_ptr<Device> device =
      make_device({.name = name, .memory_budget_bytes = arguments.memory_budget_bytes});
  const bool flushed = !arguments.host_defaults && flush_denormals_on_all_threads(true);
  const protocol::Hello hello = make_hello(*device, program_name(), flushed);
  if (!served) return run_alone(arguments, *device, hello);
  serve(arguments, *device, hello);
  return 0;
}

}  // namespace
}  // namespace bench::worker

int main(int argc, char** argv) {
  int code = 1;
  try {
    code = bench::worker::run(argc, argv);
  } catch (const bench::Error& error) {
    fmt::print(stderr, "{}: {}\n", bench::worker::program_name(), error.what());
    code = error.kind() == bench::ErrorKind::usage         ? 2
           : error.kind() == bench::ErrorKind::environment ? 5
                                                           : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", bench::worker::program_name(), error.what());
  }
  if (code == 0 && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)) {
    fmt::print(stderr, "{}: standard output could not be written\n", bench::worker::program_name());
    code = 5;
  }
  std::fflush(nullptr);
  _exit(code);  // LibTorch's static destructors take 0.08 s and do nothing for anyone
}
