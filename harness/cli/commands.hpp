#pragma once

#include "harness/cli/command_line.hpp"

// One function a command, in command_*.cpp. Each returns the exit code and throws Error.
namespace bench::cli {

int command_run(const RunRequest& request, const std::vector<std::string>& argv);
int command_list(const ListRequest& request);
int command_compare(const CompareRequest& request);
int command_report(const ReportRequest& request);
int command_env(const EnvRequest& request);

// Writes to standard output; throws Error(io) when it does not take all: a full disk behind a redirection, a
// reader that left, a descriptor that is closed.
void print(const std::string& text);

// One line to standard error, where people are told things. A standard error that takes nothing is nobody's
// loss.
void tell(const std::string& line);

}  // namespace bench::cli
