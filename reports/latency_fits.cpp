#include "reports/latency_fits.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "harness/core/units.hpp"
#include "harness/statistics/latency_fit.hpp"
#include "reports/parameters.hpp"
#include "reports/scale.hpp"

namespace bench::reports {
namespace {

constexpr const char* kSize = "bytes";       // the parameter
constexpr const char* kSent = "bytes_sent";  // amounts::bytes_sent

// nullopt: it does something else too, or was not timed.
std::optional<statistics::Transfer> transfer_of(const CaseResult& result) {
  const Summary* const step = headline_time(result);
  if (result.status != Status::ok || step == nullptr || step->value <= 0) return std::nullopt;
  const std::vector<Amount>& amounts = result.work.amounts;
  if (std::ranges::any_of(amounts, [](const Amount& amount) { return amount.kind != Quantity::traffic; }))
    return std::nullopt;
  const auto sent = std::ranges::find(amounts, kSent, &Amount::metric);
  if (sent == amounts.end() || !result.configuration.has(kSize)) return std::nullopt;
  return statistics::Transfer{sent->per_step, step->value};
}

std::string bandwidth_text(double bytes_per_s) {
  const Scale scale = choose_scale("bytes/s", std::vector{bytes_per_s});
  return format_significant(bytes_per_s / scale.divisor) + " " + scale.unit;
}

}  // namespace

std::vector<std::string> latency_fits_of(const Document& document) {
  std::vector<std::string> names = varying_parameters(document);
  std::erase(names, kSize);
  struct Sweep {
    std::string label;
    std::vector<statistics::Transfer> transfers;
  };
  std::vector<Sweep> sweeps;  // in order of appearance
  for (const CaseResult& result : document.cases) {
    const auto transfer = transfer_of(result);
    if (!transfer) continue;
    const std::string label = case_label(result, names);
    auto sweep = std::ranges::find(sweeps, label, &Sweep::label);
    if (sweep == sweeps.end()) sweep = sweeps.insert(sweeps.end(), {label, {}});
    sweep->transfers.push_back(*transfer);
  }

  std::vector<std::string> lines;
  for (const Sweep& sweep : sweeps) {
    const auto fit = statistics::latency_fit(sweep.transfers);
    if (!fit) continue;
    lines.push_back(fmt::format("{}{}step = {} + bytes sent / {}, off by {:.0f}% at most", sweep.label,
                                sweep.label.empty() ? "" : ": ", format_duration_ns(fit->latency_ns),
                                bandwidth_text(fit->bytes_per_s), 100 * fit->largest_misfit));
  }
  if (!lines.empty())
    lines.insert(lines.begin(),
                 "latency and bandwidth (busbw) that fit the sizes of each sweep best, by relative errors:");
  return lines;
}

}  // namespace bench::reports
