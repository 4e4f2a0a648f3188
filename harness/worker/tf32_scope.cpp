#include "harness/worker/tf32_scope.hpp"

#include <ATen/Context.h>

namespace bench::worker {

bool tf32_allowed() {
  return at::globalContext().allowTF32CuBLAS();
}

// The older pair of setters: they set the newer per-operator precisions too, and LibTorch throws where the
// two disagree.
void allow_tf32(bool allow) {
  at::globalContext().setAllowTF32CuBLAS(allow);
  at::globalContext().setAllowTF32CuDNN(allow);
}

Tf32Scope::Tf32Scope(bool allow) : before_(tf32_allowed()) {
  if (allow != before_) allow_tf32(allow);
}

Tf32Scope::~Tf32Scope() {
  if (tf32_allowed() != before_) allow_tf32(before_);
}

}  // namespace bench::worker
