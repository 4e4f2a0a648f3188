#pragma once

#include <optional>
#include <span>
#include <vector>

namespace bench::statistics {

// Results keep the unit of the values. Values must be finite, and at least one unless a line says otherwise;
// anything else is a bug of the caller and throws Error(internal).

std::vector<double> sorted(std::span<const double> values);

double mean(std::span<const double> values);

// Divided by n - 1. nullopt below two values, where it is not defined.
std::optional<double> standard_deviation(std::span<const double> values);

// The point a share `q` in [0, 1] of the way from the smallest to the largest value, linear between
// neighbours: position (n - 1) q, counted from 0. Type 7 of Hyndman and Fan, "Sample quantiles in statistical
// packages", The American Statistician 50 (1996): what NumPy and R do when not told otherwise.
double quantile(std::span<const double> values, double q);
double quantile_of_sorted(std::span<const double> ascending, double q);

// The middle value, or the mean of the two middle ones.
double median(std::span<const double> values);

// r = sum (x[t] - m)(x[t+1] - m) / sum (x[t] - m)^2, in [-1, 1], for values in time order.
// nullopt when all values are equal (0 / 0), which includes a single one.
std::optional<double> lag1_autocorrelation(std::span<const double> values);

}  // namespace bench::statistics
