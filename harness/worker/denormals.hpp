#pragma once

namespace bench::worker {

// Flushes denormal numbers to zero, or no longer, on every thread of ATen's pool and on the caller: the
// setting is each thread's own. P·V after a peaked softmax takes 30 to 60 times as long with denormals on.
// False: the CPU cannot.
bool flush_denormals_on_all_threads(bool flush);

// What was last asked for; false at start.
bool denormals_are_flushed();

// Not flushed for its lifetime: references and checks see IEEE arithmetic. Then as it was before.
class DenormalsKept {
 public:
  DenormalsKept() : before_(denormals_are_flushed()) { flush_denormals_on_all_threads(false); }
  ~DenormalsKept() { flush_denormals_on_all_threads(before_); }
  DenormalsKept(const DenormalsKept&) = delete;
  DenormalsKept& operator=(const DenormalsKept&) = delete;

 private:
  bool before_;
};

}  // namespace bench::worker
