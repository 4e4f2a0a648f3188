#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bench::machine {

// "0-3,8" -> 5. nullopt for what is no such list.
std::optional<int> count_cpu_list(std::string_view list);

int read_cpus_online(const std::string& root);

// This thread's affinity mask (sched_getaffinity); under a made-up root Cpus_allowed_list of
// /proc/self/status. At most `online`.
int read_cpus_in_affinity(const std::string& root, int online);

// "AMD EPYC 9654 96-Core Processor"; on Arm, which has no such line, "aarch64 implementer 0x41 part 0xd40".
std::optional<std::string> read_cpu_model(const std::string& root);

// What gives a virtual machine away ("hypervisor flag of the CPU", "Amazon EC2"); nullopt on bare metal, and
// where nothing can be read. x86 has a CPU flag; elsewhere the device tree and the firmware's vendor names
// decide.
std::optional<std::string> read_virtualization(const std::string& root);

// "performance"; several, joined by ", ", when cores differ. nullopt where frequencies are not ours to see.
std::optional<std::string> read_governor(const std::string& root);

// "on" or "off": may cores exceed their nominal clock (Intel turbo, AMD boost)?
std::optional<std::string> read_turbo(const std::string& root);

// "on" or "off": do two hardware threads share a core? nullopt where the kernel does not say.
std::optional<std::string> read_smt(const std::string& root);

}  // namespace bench::machine
