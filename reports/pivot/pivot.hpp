#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/document.hpp"
#include "reports/table.hpp"

// Any parameters as rows and columns, any metrics as cells, of one run or several.
namespace bench::reports {

// A run and what it is called; the document must outlive what is made from it.
struct NamedRun {
  std::string name;
  const Document* document = nullptr;
};

// Names of parameters, measuring options, "workload", "repetition" or, of several runs, "run". Empty: rows
// are the first parameter that varies, columns the others; values the first sampled time.
struct PivotRequest {
  std::vector<std::string> rows, columns, values;
};

struct PivotCell {
  bool present = false;
  Status status = Status::ok;  // of the case behind it; other than ok: no value
  std::optional<double> value, low, high;
};

struct PivotValue {
  Summary about;                              // metric, heading, unit and kind only
  std::vector<std::vector<PivotCell>> cells;  // [row][column]
};

// What one row or column stands for: a text per name; "" where a case lacks the parameter.
using PivotKey = std::vector<std::string>;
// Those texts; "–" where there is none.
std::string key_text(const PivotKey& key);

struct Pivot {
  std::string title;  // "step by context and attention"
  std::vector<std::string> common;
  std::vector<std::string> row_names, column_names;
  std::vector<PivotKey> rows, columns;  // in order of appearance, numbers ascending
  std::vector<PivotValue> values;
  std::size_t repetitions = 1;  // the most that one cell is the median of
};

// A metric may be given with its unit: peak_allocated_bytes. Repetitions of a case are one cell, their
// median. Throws Error(usage): an unknown name, with the nearest; a parameter that is neither a row nor a
// column though it tells cases apart.
Pivot make_pivot(const std::vector<NamedRun>& runs, const PivotRequest& request);

Table pivot_table(const Pivot& pivot);

// The first row name as x: a line a column where it is a number, bars where it is not. 800 pixels wide, light
// and dark, one panel a value.
std::string svg_chart(const Pivot& pivot);

struct PivotFormat {
  std::string name;
  std::string (*render)(const Pivot& pivot);
};
const std::vector<PivotFormat>& pivot_formats();
const PivotFormat& pivot_format_named(std::string_view name);  // Error(usage) with the nearest

}  // namespace bench::reports
