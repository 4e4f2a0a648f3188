#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/summary.hpp"

namespace bench {

// So much of something in each step of a case. Its rate follows from the step's time.
struct Amount {
  std::string metric;   // "model_flop"; its rate is "model_flop_per_second"
  std::string heading;  // "model flop"
  std::string unit;     // "FLOP"; its rate's is "FLOP/s"
  Quantity kind = Quantity::count;
  double per_step = 0;
  std::optional<std::string> rate_heading;  // before the rate's unit: "model"; absent: it has no rate

  bool operator==(const Amount&) const = default;
};

// What one step of a case does, stated by the workload from its parameters alone.
struct Work {
  std::vector<Amount> amounts;  // in the order in which their rates are shown
  std::string formula;          // how they were computed, in words and symbols

  double flop() const;  // all of its arithmetic; 0: none is stated
  bool operator==(const Work&) const = default;
};

// The amounts that several workloads state.
namespace amounts {
Amount tokens(double per_step);
Amount model_flop(double per_step);   // of the model's mathematics; recomputation counts nothing
Amount bytes_moved(double per_step);  // through memory
Amount bytes_sent(double per_step);   // between ranks
}  // namespace amounts

}  // namespace bench
