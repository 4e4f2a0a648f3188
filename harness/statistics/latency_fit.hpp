#pragma once

#include <optional>
#include <span>

namespace bench::statistics {

// A transfer of so many bytes, and how long it took.
struct Transfer {
  double bytes = 0;
  double ns = 0;
};

// time = latency + bytes / bandwidth: the alpha-beta model, Hockney, "The communication challenge for MPP:
// Intel Paragon and Meiko CS-2", Parallel Computing 20 (1994).
struct LatencyFit {
  double latency_ns = 0;
  double bytes_per_s = 0;
  double largest_misfit = 0;  // |model - time| / time of the transfer that it fits worst
};

// The least squares of relative errors, so that a transfer of a kilobyte counts as much as one of a gigabyte.
// A latency below 0, which curvature can make, is held at 0. nullopt: fewer than three different sizes, or
// times that do not grow with them. Bytes and times must be finite, times above 0: Error(internal).
std::optional<LatencyFit> latency_fit(std::span<const Transfer> transfers);

}  // namespace bench::statistics
