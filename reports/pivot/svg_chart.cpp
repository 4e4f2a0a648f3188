#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "reports/compare/comparison_table.hpp"
#include "reports/pivot/pivot.hpp"
#include "reports/scale.hpp"

// Charts that a README shows at 800 pixels. An SVG in an <img> has no script and no page around it: the style
// decides between light and dark by itself.
namespace bench::reports {
namespace {

constexpr double kWidth = 800, kPanelHeight = 400, kLeft = 80, kRight = 24, kTop = 64, kBottom = 60;
constexpr double kLegendRow = 22;
constexpr std::size_t kColors = 8;

// Okabe and Ito's colours, which colour-blind readers tell apart, darkened or lightened for their ground.
constexpr std::string_view kStyle =
    "<style>"
    "svg{--ground:#fff;--ink:#1f2328;--faint:#d1d9e0;--soft:#59636e;"
    "--c0:#0060a8;--c1:#c04a00;--c2:#00795a;--c3:#a6447d;--c4:#8a6d00;--c5:#2f7fb5;--c6:#444c56;--c7:#7a4fc4}"
    "@media(prefers-color-scheme:dark){svg{--ground:#0d1117;--ink:#f0f6fc;--faint:#3d444d;--soft:#9198a1;"
    "--c0:#58a6ff;--c1:#ff9b52;--c2:#3fc99b;--c3:#ec8fc5;--c4:#e3c04a;--c5:#8ecbf2;--c6:#b7bdc8;--c7:#bf9bff}"
    "}"
    "text{font:14px system-ui,-apple-system,'Segoe UI',sans-serif;fill:var(--ink)}"
    ".title{font-size:17px;font-weight:600}.soft{fill:var(--soft)}"
    ".axis{stroke:var(--ink);stroke-width:1}.grid{stroke:var(--faint);stroke-width:1}"
    ".line{fill:none;stroke-width:2.5}"
    "</style>";

std::string xml(std::string_view raw) {
  std::string result;
  for (const char c : printable(raw)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// The first characters, "…" in the place of the others; never half a character.
std::string shortened(std::string_view raw, std::size_t most) {
  const std::string text = printable(raw);
  if (display_width(text) <= most) return text;
  std::size_t end = 0, characters = 0;
  while (end < text.size()) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U && ++characters == most) break;
    ++end;
  }
  return text.substr(0, end) + "…";
}

// As many of the parts as fit.
std::string dotted(const std::vector<std::string>& parts, std::size_t most) {
  std::string text;
  for (const std::string& part : parts) {
    const std::string longer = text.empty() ? part : text + " · " + part;
    if (display_width(longer) > most) return text + " · …";
    text = longer;
  }
  return text;
}

// "200", "8,000", "40M": what stands beside an axis.
std::string tick_text(double tick) {
  constexpr std::array<std::pair<double, const char*>, 3> kLarge{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}}};
  for (const auto& [size, suffix] : kLarge)
    if (tick >= size && tick < 1e15) return fmt::format("{:.4g}{}", tick / size, suffix);
  return tick >= 1e4 && tick < 1e6 ? format_count(std::llround(tick)) : fmt::format("{:.4g}", tick);
}

std::string color(std::size_t series) {
  return fmt::format("var(--c{})", series % kColors);
}

// One of five shapes around (x, y), so that series differ without colour too.
std::string marker(std::size_t series, double x, double y) {
  const std::string fill = color(series);
  const auto polygon = [&](std::initializer_list<std::pair<double, double>> points) {
    std::string text;
    for (const auto& [dx, dy] : points) text += fmt::format("{:.1f},{:.1f} ", x + dx, y + dy);
    text.pop_back();
    return fmt::format("<polygon points=\"{}\" fill=\"{}\"/>", text, fill);
  };
  switch (series % 5) {
    case 0:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"{}\"/>", x, y, fill);
    case 1:
      return polygon({{-4.5, -4.5}, {4.5, -4.5}, {4.5, 4.5}, {-4.5, 4.5}});
    case 2:
      return polygon({{0, -5.5}, {5.5, 4.5}, {-5.5, 4.5}});
    case 3:
      return polygon({{0, -6}, {6, 0}, {0, 6}, {-6, 0}});
    default:
      return polygon({{0, 5.5}, {5.5, -4.5}, {-5.5, -4.5}});
  }
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view kind = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
                     kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), xml(text));
}

// Numbers onto pixels, linear or logarithmic.
struct Axis {
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;

  double at(double value) const {
    if (!(high > low)) return (from + to) / 2;
    const double share =
        logarithmic ? (std::log(std::max(value, low)) - std::log(low)) / (std::log(high) - std::log(low))
                    : (value - low) / (high - low);
    return from + share * (to - from);
  }
};

// The power of ten at or below; that of a subnormal number would be 0.
double power_below(double value) {
  return std::pow(10, std::floor(std::log10(std::max(value, std::numeric_limits<double>::min()))));
}

// 1, 2 or 5 times a power of ten, about five steps up to `high`.
double nice_step(double high) {
  const double raw = high / 5, power = power_below(raw);
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

constexpr int kMostTicks = 12;

std::vector<double> ticks_of(const Axis& axis) {
  std::vector<double> ticks;
  if (!axis.logarithmic) {
    const double step = nice_step(axis.high);
    for (int i = 0; i < kMostTicks && i * step <= axis.high * (1 + 1e-9); ++i) ticks.push_back(i * step);
    return ticks;
  }
  // Of many decades only the powers of ten, and only every nth of them.
  const auto exponent_of = [](double value) { return static_cast<int>(std::floor(std::log10(value))); };
  const int first = exponent_of(axis.low), decades = exponent_of(axis.high) - first + 1;
  const int every = (decades + kMostTicks - 1) / kMostTicks;
  for (int decade = 0; decade < decades; decade += every)
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && decades > 5) break;
      const double tick = factor * std::pow(10, first + decade);
      if (tick >= axis.low * 0.9999 && tick <= axis.high * 1.0001) ticks.push_back(tick);
    }
  return ticks;
}

// Values up and down, in the printed unit.
Axis vertical_axis(const PivotValue& value, const Scale& scale, bool bars, double top, double bottom) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const auto& row : value.cells)
    for (const PivotCell& cell : row) {
      if (!cell.value) continue;
      low = std::min(low, cell.low.value_or(*cell.value) / scale.divisor);
      high = std::max(high, cell.high.value_or(*cell.value) / scale.divisor);
    }
  Axis axis{.low = 0, .high = high > 0 ? high : 1, .from = bottom, .to = top, .logarithmic = false};
  if (!bars && low > 0 && high / low >= 30) {
    axis.logarithmic = true;
    low = std::max(low, std::numeric_limits<double>::min());
    const auto outwards = [](double bound, bool up) {  // to 1, 2 or 5 times a power of ten
      const double power = power_below(bound);
      double best = up ? 10 * power : power;
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double tick = factor * power;
        if (up ? tick >= bound * 0.9999 && tick < best : tick <= bound * 1.0001) best = tick;
      }
      return best;
    };
    axis.low = outwards(low, false);
    axis.high = outwards(high, true);
  } else {
    const double step = nice_step(axis.high);
    axis.high = step * std::max(1.0, std::ceil(axis.high / step - 1e-9));
  }
  axis.high = std::min(axis.high, std::numeric_limits<double>::max());
  return axis;
}

class Panel {
 public:
  Panel(const Pivot& pivot, const PivotValue& value, double y) : pivot_(pivot), value_(value), y_(y) {
    std::vector<double> values;
    for (const auto& row : value.cells)
      for (const PivotCell& cell : row)
        if (cell.value) values.push_back(*cell.value);
    scale_ = choose_scale(value.about.unit, values);
    for (const PivotKey& key : pivot.rows) {
      const auto number = key.size() == 1 ? number_from<double>(key.front()) : std::nullopt;
      if (number && std::isfinite(*number)) positions_.push_back(*number);
    }
    lines_ = positions_.size() == pivot.rows.size() && pivot.rows.size() > 1;
    top_ = y + kTop + kLegendRow * static_cast<double>(legend_rows());
    bottom_ = y + height() - kBottom;
    vertical_ = vertical_axis(value, scale_, !lines_, top_, bottom_);
  }

  double height() const { return kPanelHeight + kLegendRow * static_cast<double>(legend_rows()); }

  std::string draw() const {
    const auto [metric, unit] = heading_of(value_.about.heading, value_.about.kind, scale_);
    std::string text =
        text_at(kLeft, y_ + 26, "start", metric + (unit.empty() ? "" : " (" + unit + ")"), "title");
    text += text_at(kLeft, y_ + 46, "start", dotted(pivot_.common, kMostCaption), "soft");
    text += legend() + horizontal_lines() + (lines_ ? line_chart() : bar_chart());
    text +=
        fmt::format("<line class=\"axis\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\"/>\n",
                    kLeft, bottom_, kWidth - kRight);
    if (const std::string meaning = meaning_of_crosses(); !meaning.empty())
      text += text_at(kWidth - kRight, bottom_ + 46, "end", meaning, "soft");
    text +=
        text_at((kLeft + kWidth - kRight) / 2, bottom_ + 46, "middle", join(pivot_.row_names, ", "), "soft");
    return text;
  }

 private:
  static constexpr std::size_t kMostCaption = 96, kMostLegend = 27, kLegendColumns = 3, kMostLabels = 12;

  // "attention naive", "256, sdpa": a number alone says nothing.
  std::string label_of(std::size_t column) const {
    const PivotKey& key = pivot_.columns[column];
    const bool plain = key.size() == 1 && number_from<double>(key.front()).has_value();
    return (plain ? pivot_.column_names.front() + " " : "") + key_text(key);
  }
  bool has_legend() const { return pivot_.columns.size() > 1; }
  std::size_t legend_rows() const {
    return has_legend() ? (pivot_.columns.size() + kLegendColumns - 1) / kLegendColumns : 0;
  }

  std::string legend() const {
    std::string text;
    for (std::size_t column = 0; has_legend() && column < pivot_.columns.size(); ++column) {
      const double x = kLeft + 8 + static_cast<double>(column % kLegendColumns) * 236;
      const double y = y_ + kTop + 8 + kLegendRow * static_cast<double>(column / kLegendColumns);
      const std::string label = shortened(label_of(column), kMostLegend);
      text += marker(column, x, y) + text_at(x + 14, y + 5, "start", label);
    }
    return text;
  }

  std::string horizontal_lines() const {
    std::string text;
    for (const double tick : ticks_of(vertical_)) {
      const double y = vertical_.at(tick);
      text +=
          fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\"/>\n",
                      kLeft, y, kWidth - kRight);
      text += text_at(kLeft - 8, y + 5, "end", tick_text(tick), "soft");
    }
    return text;
  }

  std::string meaning_of_crosses() const {
    std::vector<std::string> statuses;
    for (const auto& row : value_.cells)
      for (const PivotCell& cell : row) {
        const std::string status = words(cell.status);
        if (cell.present && cell.status != Status::ok &&
            std::ranges::find(statuses, status) == statuses.end())
          statuses.push_back(status);
      }
    return statuses.empty() ? "" : "× " + join(statuses, ", ");
  }

  // "×" at the upper edge: the case is there, but has no number.
  std::string cross(std::size_t series, double x, Status status) const {
    return fmt::format(
        "<g stroke=\"{0}\" stroke-width=\"2.5\"><title>{1}</title><path d=\"M{2:.1f} {4:.1f}L{3:.1f} "
        "{5:.1f}M{2:.1f} "
        "{5:.1f}L{3:.1f} {4:.1f}\"/></g>\n",
        color(series), xml(label_of(series) + ": " + words(status)), x - 5, x + 5, top_ + 2, top_ + 12);
  }

  std::string value_title(std::size_t row, std::size_t column) const {
    const PivotCell& cell = value_.cells[row][column];
    return fmt::format("<title>{}</title>",
                       xml(key_text(pivot_.rows[row]) + (has_legend() ? ", " + label_of(column) : "") + ": " +
                           format_scaled(*cell.value, scale_) + " " + scale_.unit));
  }

  std::string interval(const PivotCell& cell, std::size_t column, double x) const {
    if (!cell.low || !cell.high || (vertical_.logarithmic && !(*cell.low > 0))) return "";
    return fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" "
        "stroke-width=\"1.5\"/>",
        x, vertical_.at(*cell.low / scale_.divisor), vertical_.at(*cell.high / scale_.divisor),
        color(column));
  }

  std::string line_chart() const {
    Axis horizontal{.low = *std::ranges::min_element(positions_),
                    .high = *std::ranges::max_element(positions_),
                    .from = kLeft + 24,
                    .to = kWidth - kRight - 24,
                    .logarithmic = false};
    horizontal.logarithmic = horizontal.low > 0 && horizontal.high / horizontal.low >= 8;
    std::string text;
    const std::size_t every = (positions_.size() + kMostLabels - 1) / kMostLabels;
    for (std::size_t row = 0; row < positions_.size(); row += every)
      text += text_at(horizontal.at(positions_[row]), bottom_ + 22, "middle", pivot_.rows[row].front());
    for (std::size_t column = 0; column < pivot_.columns.size(); ++column) {
      std::string path, points;
      bool pen_down = false;
      for (std::size_t row = 0; row < pivot_.rows.size(); ++row) {
        const PivotCell& cell = value_.cells[row][column];
        const double x = horizontal.at(positions_[row]);
        if (cell.present && cell.status != Status::ok) points += cross(column, x, cell.status);
        const bool drawable = cell.value && (!vertical_.logarithmic || *cell.value > 0);
        if (!drawable) {
          pen_down = pen_down && !cell.present;  // no line through a case that failed
          continue;
        }
        const double y = vertical_.at(*cell.value / scale_.divisor);
        path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, y);
        pen_down = true;
        points +=
            interval(cell, column, x) + "<g>" + value_title(row, column) + marker(column, x, y) + "</g>\n";
      }
      if (!path.empty())
        text += fmt::format("<path class=\"line\" stroke=\"{}\" d=\"{}\"/>\n", color(column), path);
      text += points;
    }
    return text;
  }

  std::string bar_chart() const {
    std::string text;
    const double group = (kWidth - kRight - kLeft) / static_cast<double>(pivot_.rows.size());
    const double bar = std::min(60.0, 0.8 * group / static_cast<double>(pivot_.columns.size()));
    for (std::size_t row = 0; row < pivot_.rows.size(); ++row) {
      const double center = kLeft + group * (static_cast<double>(row) + 0.5);
      const auto most = static_cast<std::size_t>(std::max(3.0, group / 8));
      text += text_at(center, bottom_ + 22, "middle", shortened(key_text(pivot_.rows[row]), most));
      for (std::size_t column = 0; column < pivot_.columns.size(); ++column) {
        const PivotCell& cell = value_.cells[row][column];
        const double left =
            center + bar * (static_cast<double>(column) - static_cast<double>(pivot_.columns.size()) / 2);
        if (cell.present && cell.status != Status::ok) text += cross(column, left + bar / 2, cell.status);
        if (!cell.value) continue;
        const double y = vertical_.at(*cell.value / scale_.divisor);
        text += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">{}</rect>\n",
            left + 1, y, bar - 2, bottom_ - y, color(column), value_title(row, column));
      }
    }
    return text;
  }

  const Pivot& pivot_;
  const PivotValue& value_;
  double y_, top_ = 0, bottom_ = 0;
  Scale scale_;
  bool lines_ = false;
  std::vector<double> positions_;
  Axis vertical_;
};

}  // namespace

std::string svg_chart(const Pivot& pivot) {
  double height = 0;
  std::string panels;
  for (const PivotValue& value : pivot.values) {
    const Panel panel(pivot, value, height);
    panels += panel.draw();
    height += panel.height();
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
             "height=\"{1:.0f}\" role=\"img\">\n<title>{2}</title>\n",
             kWidth, height, xml(pivot.title)) +
         std::string(kStyle) + "\n<rect width=\"100%\" height=\"100%\" fill=\"var(--ground)\"/>\n" + panels +
         "</svg>\n";
}

}  // namespace bench::reports
