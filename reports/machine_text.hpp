#pragma once

#include <string>

#include "harness/core/document.hpp"

namespace bench::reports {

// "NVIDIA H200, 140 GiB, driver 580.159.03, Example(R) CPU, 16 CPUs, ...": what the run's numbers are of.
std::string machine_line(const Document& document);

// "2026-11-30T13:53:57Z" -> "2026-11-30 13:53 UTC"; anything else as it is.
std::string date_text(const std::string& utc);

}  // namespace bench::reports
