#include "harness/core/recorded_conditions.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/core/units.hpp"

namespace bench {
namespace {

using enum Judgement;
using enum ConditionPlace;

std::string device_kind(const Document& document) {
  return document.run.device.substr(0, document.run.device.find(':'));
}

// Another program has neither bench's method nor its seed nor its build.
std::string of_bench(const Document& document, const std::string& value) {
  return document.run.measured_by.empty() ? value : "";
}

std::string bench_build(const Document& document) {
  const auto id = document.run.build_ids.find("bench");
  return of_bench(document, id == document.run.build_ids.end() ? "unknown" : id->second);
}

std::string all_gpus(const Document& document) {
  std::vector<std::string> names;
  for (const Gpu& gpu : document.environment.gpus)
    names.push_back(fmt::format("{} {} (driver {})", gpu.name, gpu.uuid, gpu.driver_version));
  return names.empty() ? "none" : join(names, ", ");
}

template <auto Member>
std::string text_of_gpu(const Document& document) {
  const Gpu* const gpu = used_gpu(document.environment, document.run.device);
  return gpu == nullptr ? "" : gpu->*Member;
}

template <auto Member>
std::string switch_of_gpu(const Document& document) {
  const Gpu* const gpu = used_gpu(document.environment, document.run.device);
  if (gpu == nullptr || !(gpu->*Member)) return "";
  return *(gpu->*Member) ? "on" : "off";
}

std::string power_limit(const Document& document) {
  const Gpu* const gpu = used_gpu(document.environment, document.run.device);
  return gpu == nullptr || !gpu->power_limit_w ? "" : fmt::format("{:g} W", *gpu->power_limit_w);
}

std::string positive(std::int64_t count) {
  return count > 0 ? fmt::format("{}", count) : "";
}

ConditionRow value_of(std::string_view what, Judgement compared, Judgement resumed,
                      std::string (*value)(const Document&), std::string_view device = "") {
  return {.place = member,
          .name = what,
          .what = what,
          .compared = compared,
          .resumed = resumed,
          .device = device,
          .value = value};
}

ConditionRow set_by_bench(std::string_view name, std::string_view what = "", Judgement resumed = refused) {
  return {.place = set, .name = name, .what = what, .resumed = resumed};
}

ConditionRow found_variable(std::string_view name, std::string_view device = "",
                            Judgement compared = refused) {
  return {.place = variable, .name = name, .compared = compared, .resumed = compared, .device = device};
}

ConditionRow injection(std::string_view name) {
  return {.place = variable, .name = name, .marks_profiler = true};
}

ConditionRow fact_of_machine(std::string_view name, std::string_view what, Judgement compared,
                             Judgement resumed = refused, std::string_view device = "") {
  return {
      .place = fact, .name = name, .what = what, .compared = compared, .resumed = resumed, .device = device};
}

const auto kRows = std::to_array<ConditionRow>({
    value_of("the method version", refused, ignored,
             [](const Document& d) { return of_bench(d, fmt::format("{}", d.method_version)); }),
    value_of("bench's build", ignored, refused, bench_build),
    value_of("the device", refused, ignored, device_kind),
    value_of("the number of the device", ignored, refused, [](const Document& d) { return d.run.device; }),
    value_of(
        "the processor", refused, refused, [](const Document& d) { return d.environment.cpu_model; }, "cpu"),
    value_of("the processor", refused, ignored, text_of_gpu<&Gpu::name>, "cuda"),
    value_of(
        "the host's CPU", noted, refused, [](const Document& d) { return d.environment.cpu_model; }, "cuda"),
    value_of("the GPUs", ignored, refused, all_gpus, "cuda"),

    // What bench sets for the workers, and what else a person asked for that changes times.
    set_by_bench("OMP_NUM_THREADS"),
    set_by_bench("OMP_WAIT_POLICY"),
    set_by_bench("MALLOC_MMAP_MAX_"),
    set_by_bench("MALLOC_TRIM_THRESHOLD_"),
    set_by_bench("MALLOC_TOP_PAD_"),
    set_by_bench("host_defaults", "--host-defaults"),
    set_by_bench("memory_limit", "the memory limit"),
    set_by_bench("injected_fault", "the injected fault"),
    set_by_bench("processes"),
    set_by_bench("resumed_with", "what it was resumed with", ignored),
    {.place = set, .name = "profiler", .what = "the profiler", .marks_profiler = true},
    {.place = worker_said, .name = "*"},

    // threads
    found_variable("OMP_*"),
    found_variable("GOMP_*"),
    found_variable("KMP_*"),
    found_variable("MKL_*"),
    found_variable("OPENBLAS_NUM_THREADS"),
    // instruction sets and arithmetic
    found_variable("ATEN_CPU_CAPABILITY"),
    found_variable("DNNL_*"),
    found_variable("ONEDNN_*"),
    found_variable("TORCH_LINEAR_FLATTEN_3D"),
    found_variable("NVIDIA_TF32_OVERRIDE", "cuda"),
    found_variable("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "cuda"),
    found_variable("CUBLAS_WORKSPACE_CONFIG", "cuda"),
    found_variable("CUBLASLT_WORKSPACE_SIZE", "cuda"),
    found_variable("TORCH_BLAS_PREFER_CUBLASLT", "cuda"),
    found_variable("TORCH_CUDNN_V8_API_DISABLED", "cuda"),
    found_variable("TORCH_CUDNN_SDPA_ENABLED", "cuda"),
    // memory
    found_variable("MALLOC_*"),
    found_variable("GLIBC_TUNABLES"),
    found_variable("THP_MEM_ALLOC_ENABLE"),
    found_variable("PYTORCH_CUDA_ALLOC_CONF", "cuda"),
    found_variable("PYTORCH_ALLOC_CONF", "cuda"),
    found_variable("PYTORCH_NO_CUDA_MEMORY_CACHING", "cuda"),
    // devices and communication
    found_variable("CUDA_VISIBLE_DEVICES", "cuda", noted),
    found_variable("CUDA_DEVICE_ORDER", "cuda", noted),
    found_variable("CUDA_LAUNCH_BLOCKING", "cuda"),
    found_variable("CUDA_MODULE_LOADING", "cuda"),
    found_variable("CUDA_DEVICE_MAX_CONNECTIONS", "cuda"),
    found_variable("CUDA_FORCE_PTX_JIT", "cuda"),
    found_variable("CUDA_CACHE_DISABLE", "cuda"),
    found_variable("NCCL_*", "cuda"),
    found_variable("TORCH_NCCL_*", "cuda"),
    found_variable("GLOO_SOCKET_IFNAME"),
    // compilers of the Python peers: where they keep what they compiled is no matter, as they begin without
    // it
    found_variable("TORCHINDUCTOR_CACHE_DIR", "", ignored),
    found_variable("TRITON_CACHE_DIR", "", ignored),
    found_variable("TORCHINDUCTOR_*"),
    found_variable("TORCHDYNAMO_*"),
    found_variable("TRITON_*"),
    // what else is loaded into the process
    found_variable("LD_PRELOAD"),
    found_variable("LD_LIBRARY_PATH", "", noted),
    injection("NVTX_INJECTION64_PATH"),
    injection("CUDA_INJECTION64_PATH"),
    // this program's own: the libraries say what they come to
    found_variable("BENCH_PYTHON", "", ignored),
    found_variable("BENCH_TORCH", "", ignored),

    // What can be set on a machine between two runs.
    fact_of_machine("governor", "the CPU governor", refused),
    fact_of_machine("turbo", "turbo", refused),
    fact_of_machine("smt", "SMT", refused),
    fact_of_machine("transparent_hugepages", "the state of transparent huge pages", refused),
    value_of("the GPU's power limit", refused, refused, power_limit, "cuda"),
    value_of("the GPU's ECC", refused, refused, switch_of_gpu<&Gpu::ecc>, "cuda"),
    value_of("the GPU's MIG mode", refused, refused, switch_of_gpu<&Gpu::mig>, "cuda"),
    value_of("the GPU's persistence mode", noted, refused, switch_of_gpu<&Gpu::persistence>, "cuda"),

    // What it is.
    {.place = library, .name = "*", .compared = noted},
    value_of("the operating system", noted, refused, [](const Document& d) { return d.environment.host_os; }),
    value_of("the number of usable CPUs", noted, refused,
             [](const Document& d) { return positive(d.environment.cpus_allowed); }),
    value_of("the memory", ignored, refused,
             [](const Document& d) {
               const std::int64_t bytes = d.environment.memory_total_bytes;
               return bytes > 0 ? format_bytes(bytes) : "";
             }),
    value_of("the GPU driver", noted, ignored, text_of_gpu<&Gpu::driver_version>, "cuda"),
    fact_of_machine("affinity", "the affinity", noted),
    fact_of_machine("cgroup_cpu_quota_cpus", "the control group's CPU quota", noted),
    fact_of_machine("clock_source", "the clock source", noted),
    fact_of_machine("frequency_driver", "the CPU frequency driver", noted),
    fact_of_machine("isolated_cpus", "the list of isolated CPUs", noted),
    fact_of_machine("numa_nodes", "the number of NUMA nodes", noted),
    fact_of_machine("virtualization", "virtualization", noted),
    fact_of_machine("nvidia_driver", "the NVIDIA driver", ignored, ignored),  // as the GPU says
    fact_of_machine("nvidia_devices", "the number of NVIDIA devices", ignored, ignored),
    fact_of_machine("cgroup_memory_limit_bytes", "the control group's memory limit", ignored, ignored),
    fact_of_machine("cgroup_memory_left_bytes", "the control group's memory left", ignored, ignored),
    fact_of_machine("load_average", "the load average", ignored, ignored),
    fact_of_machine("*", "", ignored, ignored),  // of another version of bench

    value_of("the seed", noted, ignored,
             [](const Document& d) { return of_bench(d, fmt::format("{}", d.run.seed)); }),
});

bool stands_for(const ConditionRow& row, std::string_view name) {
  return row.name.ends_with('*') ? name.starts_with(row.name.substr(0, row.name.size() - 1))
                                 : row.name == name;
}

bool matters(const ConditionRow& row, const Document& document) {
  const bool on_gpu = device_kind(document) == "cuda";
  return row.device.empty() || (row.device == "cuda") == on_gpu;
}

using Values = std::map<std::string, std::string>;

// Those of `values` that `row` stands for and no row before it does.
void take(Values& values, const ConditionRow& row, std::vector<RecordedCondition>& found) {
  for (auto entry = values.begin(); entry != values.end();) {
    if (!stands_for(row, entry->first)) {
      ++entry;
      continue;
    }
    if (!entry->second.empty()) found.push_back({&row, entry->first, entry->second});
    entry = values.erase(entry);
  }
}

std::string sentence_name(const RecordedCondition& condition) {
  return condition.row->what.empty() ? condition.name : std::string(condition.row->what);
}

// What two documents are joined on. A variable may be set by bench in one and found in the other.
std::string key_of(const RecordedCondition& condition) {
  switch (condition.row->place) {
    case set:
    case variable:
    case worker_said:
      return condition.name;
    case member:
      return "member " + condition.name;
    case fact:
      return "fact " + condition.name;
    case library:
      return "library " + condition.name;
  }
  return condition.name;
}

// Of these an absent value is one: nobody set it.
bool may_be_unset(const ConditionRow& row) {
  return row.place == set || row.place == variable;
}

}  // namespace

std::span<const ConditionRow> condition_rows() {
  return kRows;
}

const ConditionRow* variable_row(std::string_view name) {
  const auto row = std::ranges::find_if(kRows, [&](const ConditionRow& candidate) {
    return candidate.place == variable && stands_for(candidate, name);
  });
  return row == kRows.end() ? nullptr : &*row;
}

std::vector<RecordedCondition> recorded_conditions(const Document& document) {
  Values set_or_said = document.conditions, variables = document.environment.variables,
         facts = document.environment.facts, libraries = document.environment.libraries;
  for (const auto& [name, value] : document.conditions) variables.erase(name);
  std::vector<RecordedCondition> found;
  for (const ConditionRow& row : kRows) {
    if (!matters(row, document)) continue;
    switch (row.place) {
      case member:
        if (std::string value = row.value(document); !value.empty())
          found.push_back({&row, std::string(row.name), std::move(value)});
        break;
      case set:
      case worker_said:
        take(set_or_said, row, found);
        break;
      case variable:
        take(variables, row, found);
        break;
      case fact:
        take(facts, row, found);
        break;
      case library:
        take(libraries, row, found);
        break;
    }
  }
  return found;
}

std::vector<ConditionDifference> differing_conditions(const Document& before, const Document& after) {
  const std::vector<RecordedCondition> then = recorded_conditions(before), now = recorded_conditions(after);
  std::map<std::string, const RecordedCondition*> other;
  for (const RecordedCondition& condition : now) other.emplace(key_of(condition), &condition);
  std::vector<ConditionDifference> differences;
  const auto add = [&](const RecordedCondition& condition, std::string was, std::string is) {
    // What matters on one kind of device alone says nothing beside another kind.
    if (!matters(*condition.row, before) || !matters(*condition.row, after)) return;
    const bool unknown = (was.empty() || is.empty()) && !may_be_unset(*condition.row);
    differences.push_back({condition.row, sentence_name(condition), std::move(was), std::move(is), unknown});
  };
  for (const RecordedCondition& condition : then) {
    const auto partner = other.find(key_of(condition));
    const std::string is = partner == other.end() ? "" : partner->second->value;
    if (partner != other.end()) other.erase(partner);
    if (is != condition.value) add(condition, condition.value, is);
  }
  for (const RecordedCondition& condition : now)
    if (other.contains(key_of(condition))) add(condition, "", condition.value);
  std::ranges::stable_sort(differences, {}, &ConditionDifference::row);  // the table's order
  return differences;
}

Judgement ConditionDifference::compared() const {
  return unknown && row->compared == refused ? noted : row->compared;
}

Judgement ConditionDifference::resumed() const {
  return unknown ? ignored : row->resumed;
}

}  // namespace bench
