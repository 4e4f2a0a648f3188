#pragma once

#include <memory>

#include "harness/scheduler/progress.hpp"

namespace bench::cli {

// Standard error. Progress on it: a live line where it is a terminal that can overwrite one, else plain
// lines.
class StderrTerminal final : public scheduler::Terminal {
 public:
  void write(const std::string& text) override;
  std::size_t columns() override;
};

std::unique_ptr<scheduler::Progress> choose_progress(bool quiet, scheduler::Terminal& terminal,
                                                     scheduler::Clock& clock);

}  // namespace bench::cli
