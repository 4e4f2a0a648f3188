#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

namespace bench::worker {

// torch.autocast(device, dtype) as a scope, with its cache of cast weights. The backward runs outside, as
// PyTorch asks. Leaving the outermost scope clears the cache: without that the next step would use the
// weights of this one.
class AutocastGuard {
 public:
  AutocastGuard(c10::DeviceType device, c10::ScalarType dtype);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  bool was_caching_;
  c10::ScalarType previous_dtype_;
};

}  // namespace bench::worker
