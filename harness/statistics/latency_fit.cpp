#include "harness/statistics/latency_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/core/error.hpp"

namespace bench::statistics {

std::optional<LatencyFit> latency_fit(std::span<const Transfer> transfers) {
  std::set<double> sizes;
  // Of a·u + b·v = 1, which is a + b·bytes = ns over ns: the normal equations' sums.
  double uu = 0, uv = 0, vv = 0, u_sum = 0, v_sum = 0;
  for (const auto& [bytes, ns] : transfers) {
    if (!std::isfinite(bytes) || !std::isfinite(ns) || ns <= 0)
      throw Error(ErrorKind::internal, "a transfer needs finite bytes and a time above 0");
    sizes.insert(bytes);
    const double u = 1 / ns, v = bytes / ns;
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u_sum += u;
    v_sum += v;
  }
  if (sizes.size() < 3) return std::nullopt;
  const double determinant = uu * vv - uv * uv;
  double latency_ns = (u_sum * vv - v_sum * uv) / determinant;
  double ns_per_byte = (v_sum * uu - u_sum * uv) / determinant;
  if (latency_ns < 0) {
    latency_ns = 0;
    ns_per_byte = v_sum / vv;
  }
  if (!(ns_per_byte > 0)) return std::nullopt;
  LatencyFit fit{.latency_ns = latency_ns, .bytes_per_s = 1e9 / ns_per_byte};
  for (const auto& [bytes, ns] : transfers)
    fit.largest_misfit = std::max(fit.largest_misfit, std::abs(latency_ns + ns_per_byte * bytes - ns) / ns);
  return fit;
}

}  // namespace bench::statistics
