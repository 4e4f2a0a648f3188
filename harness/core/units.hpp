#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// "25MiB", "1 GB", "4096" -> bytes. KB MB GB TB are 10^3 steps, KiB MiB GiB TiB 2^10 steps.
// Throws Error(usage): "1M" is refused with "1MB or 1MiB?".
std::int64_t parse_bytes(std::string_view text);

// "60s", "500ms", "2m", "1h", a bare number is seconds. Throws Error(usage). Result in seconds.
double parse_duration_s(std::string_view text);

// "24 GiB", "2.61 GiB", "512 KiB", "100 B": three significant digits, binary units.
std::string format_bytes(std::int64_t bytes);

// "3.49 s", "12.1 ms", "850 µs", "12 ns": three significant digits.
std::string format_duration_ns(double ns);

// "2m 05s", "41s", "1h 12m": for progress.
std::string format_seconds_left(double seconds);

// 128625408 -> "128,625,408".
std::string format_count(std::int64_t count);

// Three significant digits without an exponent where that stays readable: 0.00123, 1.23, 12.3, 123, 1230.
std::string format_significant(double value, int digits = 3);

}  // namespace bench
