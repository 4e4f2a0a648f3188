#pragma once

namespace bench::worker {

// TF32 for matrix products and cuDNN alike, of the whole process, for its lifetime. Workers run with it off.
class Tf32Scope {
 public:
  explicit Tf32Scope(bool allow);
  ~Tf32Scope();
  Tf32Scope(const Tf32Scope&) = delete;
  Tf32Scope& operator=(const Tf32Scope&) = delete;

 private:
  bool before_;
};

bool tf32_allowed();
void allow_tf32(bool allow);

}  // namespace bench::worker
