#pragma once

#include <string>

#include "harness/machine/machine.hpp"

namespace bench::cli {

struct DeviceChoice {
  std::string device;          // "cpu"
  std::string worker_program;  // path
  std::string why;             // for `auto`, one sentence; else empty
};

// `asked`: auto, cpu, cuda, cuda:N. `folder`: where bench itself lies, and its workers beside it.
// Throws Error(usage) for another word, Error(environment) for a device or a worker that is not here.
DeviceChoice choose_device(const std::string& asked, const machine::Machine& machine,
                           const std::string& folder);

// The folder of the running executable.
std::string own_folder();

}  // namespace bench::cli
