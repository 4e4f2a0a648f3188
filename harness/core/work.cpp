#include "harness/core/work.hpp"

namespace bench {

double Work::flop() const {
  double sum = 0;
  for (const Amount& amount : amounts)
    if (amount.kind == Quantity::arithmetic) sum += amount.per_step;
  return sum;
}

namespace amounts {

Amount tokens(double per_step) {
  return {"tokens", "tokens", "tokens", Quantity::count, per_step, ""};
}

Amount model_flop(double per_step) {
  return {"model_flop", "model flop", "FLOP", Quantity::arithmetic, per_step, "model"};
}

Amount bytes_moved(double per_step) {
  return {"bytes_moved", "bytes moved", "bytes", Quantity::traffic, per_step, "moved"};
}

Amount bytes_sent(double per_step) {
  return {"bytes_sent", "bytes sent", "bytes", Quantity::traffic, per_step, "sent"};
}

}  // namespace amounts
}  // namespace bench
