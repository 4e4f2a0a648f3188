#include "harness/worker/facts.hpp"

#include <atomic>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/native/DispatchStub.h>
#include <fmt/format.h>
#include <torch/headeronly/version.h>

#include "harness/core/build_id.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "harness/worker/slot.hpp"

namespace bench::worker {
namespace {

std::string first_line(const std::string& text) {
  return std::string(trimmed(text.substr(0, text.find('\n'))));
}

// What a parallel region really gets: OMP_THREAD_LIMIT, OMP_DYNAMIC and limits of the machine leave it fewer
// than at::get_num_threads() asks for.
int threads_of_a_region() {
  std::atomic<int> threads{0};
#pragma omp parallel num_threads(at::get_num_threads())
  ++threads;
  return threads;
}

}  // namespace

protocol::Hello make_hello(Device& device, std::string_view program, bool flushed) {
  protocol::Hello hello{.program = std::string(program), .build_id = build_id(), .devices = {device.name()}};
  hello.libraries = {
      {"torch", TORCH_VERSION},
      {"mkl", first_line(at::get_mkl_version())},
      {"mkldnn", first_line(at::get_mkldnn_version())},
      {"atcpu", at::get_cpu_capability()},
      {"compiler", fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)},
  };
  hello.conditions = {
      {"threads", fmt::format("{}", threads_of_a_region())},
      {"denormals", flushed ? "flushed" : "kept"},
  };
  device.describe(hello.libraries, hello.conditions);
  hello.empty_sample_ns = empty_sample_ns(device);
  return hello;
}

}  // namespace bench::worker
