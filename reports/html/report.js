// Draws the report from the JSON beside it. Everything from the data reaches the page as text, never as markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const kRowsAtOnce = 500;

function element(name, text, attributes = {}) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function drawing(name, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

// ---- numbers -------------------------------------------------------------------------------------

const kLadders = new Map(Object.entries({
  ns: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
  bytes: [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "bytes"]],
  "FLOP/s": [[1e12, "TFLOP/s"], [1e9, "GFLOP/s"], [1e6, "MFLOP/s"], [1, "FLOP/s"]],
  "bytes/s": [[1e9, "GB/s"], [1e6, "MB/s"], [1, "bytes/s"]],
}));

// One unit for all of `values`: the largest in which the middle one is at least 1.
function scaleOf(unit, values) {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  const middle = sorted.length ? sorted[sorted.length >> 1] : 0;
  const ladder = kLadders.get(unit) || [[1, unit === "1" ? "" : unit]];
  const [divisor, name] = ladder.find(([step]) => middle >= step) || ladder[ladder.length - 1];
  return { divisor, unit: name };
}

function shown(value, scale) {
  const number = value / scale.divisor;
  if (Number.isInteger(number) && Math.abs(number) < 1e15) return number.toLocaleString("en");
  const digits = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(Math.abs(number)))));
  return number.toLocaleString("en", { minimumFractionDigits: Math.min(digits, 3), maximumFractionDigits: digits });
}

// A rate is called by its unit.
const headingOf = (metric, unit = metric.unit) => metric.kind === "rate" ? `${metric.heading} ${unit}`.trim() : metric.heading;

const withUnit = (value, scale) => shown(value, scale) + (scale.unit ? " " + scale.unit : "");

// The number that a cell begins with: "12,345 ± 21" is 12345; nothing for "–" and words.
function numberOf(cell) {
  const found = /^[-−]?[\d,]*\.?\d+(e[-+]?\d+)?/.exec(cell);
  return found ? Number(found[0].replaceAll(",", "").replace("−", "-")) : undefined;
}

// ---- the table of cases --------------------------------------------------------------------------

const table = { sort: null, descending: false, limit: kRowsAtOnce, order: data.rows.map((_, index) => index) };
// What the filter looks at: all cells, the id and the reason.
const haystacks = data.rows.map((row, index) =>
  (row.join(" ") + " " + data.cases[index].id + " " + data.cases[index].reason).toLowerCase());

function chosenRows() {
  const words = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const status = byId("status").value;
  const rows = table.order.filter((index) =>
    (status === "" || data.cases[index].status === status) &&
    words.every((word) => word.length > 1 && word[0] === "-" ? !haystacks[index].includes(word.slice(1))
                                                             : haystacks[index].includes(word)));
  return rows;
}

function sortRows() {
  table.order = data.rows.map((_, index) => index);
  if (table.sort === null) return;
  const keys = data.rows.map((row) => {
    const cell = row[table.sort];
    return data.columns[table.sort].left ? cell : numberOf(cell) ?? cell;
  });
  const sign = table.descending ? -1 : 1;
  table.order.sort((a, b) => {
    const x = keys[a], y = keys[b];
    if (typeof x === "number" && typeof y === "number") return sign * (x - y) || a - b;
    if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;  // what has no number comes last, either way
    return sign * x.localeCompare(y, "en", { numeric: true }) || a - b;
  });
}

function drawHead() {
  const row = element("tr");
  data.columns.forEach((column, index) => {
    const cell = element("th", undefined, { scope: "col", class: column.left ? "left" : "" });
    if (table.sort === index) cell.setAttribute("aria-sort", table.descending ? "descending" : "ascending");
    const button = element("button", column.heading, { type: "button" });
    button.addEventListener("click", () => {
      table.descending = table.sort === index && !table.descending;
      table.sort = index;
      sortRows();
      drawHead();
      drawRows();
      byId("cases").tHead.rows[0].cells[index].firstChild.focus();
    });
    cell.append(button);
    if (column.unit) cell.append(element("span", column.unit, { class: "unit" }));
    row.append(cell);
  });
  byId("cases").tHead.replaceChildren(row);
}

function drawRows() {
  const rows = chosenRows();
  const fragment = document.createDocumentFragment();
  for (const index of rows.slice(0, table.limit)) {
    const row = element("tr");
    data.rows[index].forEach((text, at) => {
      const bad = data.cases[index].status !== "ok" && at === data.statusColumn;
      const cell = element("td", at === 0 ? undefined : text,
                           { class: (data.columns[at].left ? "left" : "") + (bad ? " bad" : "") });
      if (at === 0) {
        const button = element("button", text || "details", { type: "button", class: "case" });
        button.addEventListener("click", () => showDetails(index));
        cell.append(button);
      } else if (data.columns[at].left && text.length > 40) {
        cell.title = text;
      }
      row.append(cell);
    });
    fragment.append(row);
  }
  byId("cases").tBodies[0].replaceChildren(fragment);
  byId("count").textContent = rows.length === data.rows.length ? `${rows.length.toLocaleString("en")} cases`
    : `${rows.length.toLocaleString("en")} of ${data.rows.length.toLocaleString("en")} cases`;
  const more = byId("more");
  more.hidden = rows.length <= table.limit;
  more.textContent = `Show ${Math.min(kRowsAtOnce, rows.length - table.limit).toLocaleString("en")} more`;
}

// ---- charts --------------------------------------------------------------------------------------

const kSmallest = 2.3e-308;  // below are the subnormal numbers, whose power of ten would be 0
const kMostTicks = 12;
const exponentOf = (value) => Math.floor(Math.log10(Math.max(value, kSmallest)));

function niceStep(high) {
  const raw = high / 5, power = 10 ** exponentOf(raw);
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => raw <= step * 1.0001) || 10 * power;
}

// Onto pixels, from 0 on; logarithmic where the values span more than `span` times; `close`: no farther than they reach.
function axisOf(values, from, to, span, close = false) {
  const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
  const logarithmic = low > 0 && high / low >= span;
  const margin = close && !logarithmic ? (high - low || high || 1) * 0.05 : 0;
  const start = logarithmic ? Math.log(low) : close ? low - margin : Math.min(0, low);
  const end = logarithmic ? Math.log(high) : high + margin;
  const room = end > start ? end - start : 1;
  return {
    logarithmic, low, high,
    at: (value) => from + ((logarithmic ? Math.log(value) : value) - start) / room * (to - from),
    ticks() {
      const ticks = [];
      if (!logarithmic) {
        const step = niceStep(end > start ? end - start : 1), first = Math.ceil(start / step - 0.0001);
        for (let i = 0; i < kMostTicks && (first + i) * step <= end * 1.0001; ++i) ticks.push((first + i) * step);
        return [...new Set(ticks)];  // beyond 2^53 neighbours are one number
      }
      // Of many decades only the powers of ten, and only every nth of them.
      const first = exponentOf(low), decades = exponentOf(high) - first + 1;
      for (let decade = 0; decade < decades; decade += Math.ceil(decades / kMostTicks))
        for (const factor of decades > 5 ? [1] : [1, 2, 5]) {
          const tick = factor * 10 ** (first + decade);
          if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
        }
      return ticks;
    },
  };
}

const kColors = 8;
const colorOf = (series) => `var(--c${series % kColors})`;

function frame(width, height, label) {
  return drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
}

function drawTicks(svg, axis, left, right, format) {
  for (const tick of axis.ticks()) {
    const y = axis.at(tick).toFixed(1);
    svg.append(drawing("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }));
    svg.append(drawing("text", { class: "soft", x: left - 6, y: Number(y) + 4, "text-anchor": "end" }, format(tick)));
  }
}

// Every sample in the order in which it was taken; warm-up hollow; the median as a line.
function samplesChart(one) {
  const warm = one.warmup, all = warm.concat(one.samples);
  const scale = scaleOf("ns", all);
  const width = 760, height = 240, left = 64, right = 610, bottom = 210, top = 12;
  const svg = frame(width, height, "Samples in the order in which they were taken, and how often each value occurs");
  const axis = axisOf(all, bottom, top, 30, true);
  drawTicks(svg, axis, left, right, (tick) => shown(tick, scale));
  svg.append(drawing("text", { class: "soft", x: 4, y: 12 }, scale.unit));
  const x = (index) => (left + 8 + (right - left - 16) * (all.length > 1 ? index / (all.length - 1) : 0.5)).toFixed(1);
  const sorted = [...one.samples].sort((a, b) => a - b);
  const middle = (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
  svg.append(drawing("line", { x1: left, x2: right, y1: axis.at(middle), y2: axis.at(middle), stroke: colorOf(1),
                               "stroke-dasharray": "6 4" }));
  svg.append(drawing("text", { x: right + 4, y: height - 14, class: "soft" }, "median " + withUnit(middle, scale)));
  all.forEach((value, index) => {
    const hollow = index < warm.length;
    const point = drawing("circle", { cx: x(index), cy: axis.at(value).toFixed(1), r: all.length > 200 ? 1.5 : 3.5,
                                      fill: hollow ? "none" : colorOf(0), stroke: colorOf(0) });
    point.append(drawing("title", {}, (hollow ? "warm-up: " : "") + withUnit(value, scale)));
    svg.append(point);
  });
  // The distribution beside them, on the same axis.
  const bins = Math.max(5, Math.min(24, Math.ceil(Math.sqrt(one.samples.length)) * 2));
  const counts = new Array(bins).fill(0);
  const position = (value) => Math.min(bins - 1, Math.max(0, Math.floor((bottom - axis.at(value)) / (bottom - top) * bins)));
  for (const value of one.samples) ++counts[position(value)];
  const most = Math.max(...counts), step = (bottom - top) / bins;
  counts.forEach((count, bin) => {
    if (count) svg.append(drawing("rect", { x: right + 8, width: (count / most * 130).toFixed(1), height: step - 1,
                                            y: (bottom - (bin + 1) * step).toFixed(1), fill: colorOf(0), opacity: .6 }));
  });
  svg.append(drawing("text", { class: "soft", x: (left + right) / 2, y: height - 8, "text-anchor": "middle" },
                     warm.length ? "samples in order; hollow: warm-up" : "samples in order"));
  return svg;
}

function barsChart(entries, scale, label) {
  const height = 26 * entries.length + 8, svg = frame(760, height, label);
  const most = Math.max(...entries.map(([, value]) => value), 1);
  entries.forEach(([name, value], index) => {
    const y = 26 * index + 4;
    svg.append(drawing("text", { x: 170, y: y + 15, "text-anchor": "end" }, name));
    svg.append(drawing("rect", { x: 178, y, width: Math.max(1, value / most * 450).toFixed(1), height: 20, fill: colorOf(0) }));
    svg.append(drawing("text", { class: "soft", x: 184 + value / most * 450, y: y + 15 }, withUnit(value, scale)));
  });
  return svg;
}

// ---- one case ------------------------------------------------------------------------------------

function listOf(pairs) {
  const list = element("dl");
  for (const [name, value] of pairs) list.append(element("dt", name), element("dd", value));
  return list;
}

function showDetails(index) {
  const one = data.cases[index], body = byId("details-body");
  byId("details-heading").textContent = one.label || one.id;
  body.replaceChildren(element("p", one.id, { class: "soft" }));
  const add = (heading, node) => body.append(element("h3", heading), node);
  if (one.status !== "ok") add("Status", element("p", one.status.replaceAll("_", " ") + (one.reason ? ": " + one.reason : "")));
  if (one.samples.length) add("Samples", samplesChart(one));
  if (one.metrics.length) add("Numbers", listOf(one.metrics.map(([at, value, low, high, n]) => {
    const metric = data.metrics[at], scale = scaleOf(metric.unit, [value]);
    const interval = low === null ? "" : `, 95% interval ${shown(low, scale)} to ${shown(high, scale)}`;
    return [headingOf(metric), withUnit(value, scale) + interval + (n ? `, median of ${n}` : "")];
  })));
  if (one.memory.length) {
    const scale = scaleOf("bytes", one.memory.map(([, bytes]) => bytes));
    add("Memory at the peak, by category", barsChart(one.memory, scale, "Bytes at the peak by category"));
  }
  if (one.check.length) add("Checks before timing", listOf(one.check.map(([what, error, allowed]) => [what, `off by ${error}, allowed ${allowed}`])));
  if (one.warnings.length) add("Warnings", listOf(one.warnings.map((warning, at) => [String(at + 1), warning])));
  if (one.notes.length) add("Notes", listOf(one.notes.map((note, at) => [String(at + 1), note])));
  if (one.counters.length) add("Counters around the samples", listOf(one.counters.map(([name, value]) => [name.replaceAll("_", " "), value.toLocaleString("en")])));
  byId("details").showModal();
}

// A link to report.html#case-3 opens the fourth case.
function showLinked() {
  const index = Number(/^#case-(\d+)$/.exec(location.hash)?.[1] ?? -1);
  if (index >= 0 && index < data.cases.length && !byId("details").open) showDetails(index);
}

// ---- pivot ---------------------------------------------------------------------------------------

function keysOf(at) {
  if (at < 0) return [""];
  const keys = [...new Set(data.cases.map((one) => one.parameters[at]))];
  if (keys.every((key) => key !== "" && Number.isFinite(Number(key)))) keys.sort((a, b) => a - b);
  return keys;
}

function drawPivot() {
  const rowAt = Number(byId("pivot-rows").value), columnAt = Number(byId("pivot-columns").value);
  const metricAt = Number(byId("pivot-value").value), metric = data.metrics[metricAt];
  const rows = keysOf(rowAt), columns = keysOf(columnAt);
  const cells = new Map();  // row -> column -> the cases' values
  let several = false;
  const collected = [];
  for (const one of data.cases) {
    const row = one.parameters[rowAt], column = columnAt < 0 ? "" : one.parameters[columnAt];
    if (!cells.has(row)) cells.set(row, new Map());
    const known = cells.get(row).get(column) || { values: [], status: "ok" };
    const found = one.metrics.find(([at]) => at === metricAt);
    if (one.status !== "ok") known.status = one.status;
    else if (found) { known.values.push(found[1]); collected.push(found[1]); }
    several ||= known.values.length > 1;
    cells.get(row).set(column, known);
  }
  const middle = (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
  };
  const scale = scaleOf(metric.unit, collected);
  byId("pivot-note").textContent = (several ? "Some cells are the median of several cases: other parameters vary too. " : "") +
    headingOf(metric, scale.unit) + (scale.unit && metric.kind !== "rate" ? " in " + scale.unit : "");
  const head = element("tr");
  head.append(element("th", data.parameters[rowAt], { class: "left", scope: "col" }));
  for (const column of columns) head.append(element("th", column || headingOf(metric), { scope: "col" }));
  byId("pivot").tHead.replaceChildren(head);
  const drawn = rows.slice(0, kRowsAtOnce).map((row) => {
    const line = element("tr");
    line.append(element("th", row || "–", { class: "left", scope: "row" }));
    for (const column of columns) {
      const cell = cells.get(row)?.get(column);
      const text = cell?.values.length ? shown(middle(cell.values), scale) : cell && cell.status !== "ok" ? cell.status.replaceAll("_", " ") : "–";
      line.append(element("td", text));
    }
    return line;
  });
  byId("pivot").tBodies[0].replaceChildren(...drawn);
  const points = columns.map((column) => rows.map((row) => {
    const cell = cells.get(row)?.get(column);
    return cell?.values.length ? middle(cell.values) : undefined;
  }));
  byId("chart").replaceChildren(...(collected.length ? [pivotChart(rows, columns, points, scale, rowAt, columnAt)] : []));
}

function pivotChart(rows, columns, points, scale, rowAt, columnAt) {
  const width = 800, left = 76, right = 780, top = 20 + 20 * Math.ceil(columns.length / 4), height = top + 320, bottom = height - 50;
  const svg = frame(width, height, `${byId("pivot-note").textContent} by ${data.parameters[rowAt]}`);
  const values = points.flat().filter((value) => value !== undefined);
  const numeric = rows.length > 1 && rows.every((row) => row !== "" && Number.isFinite(Number(row)));
  const vertical = axisOf(numeric ? values : values.concat(0), bottom, top, 30);
  drawTicks(svg, vertical, left, right, (tick) => shown(tick, scale));
  const horizontal = numeric ? axisOf(rows.map(Number), left + 20, right - 20, 8) : null;
  const x = (index) => numeric ? horizontal.at(Number(rows[index])) : left + (right - left) * (index + 0.5) / rows.length;
  columns.forEach((column, series) => {
    if (columns.length > 1) {
      const at = left + (series % 4) * 178, y = 14 + 20 * Math.floor(series / 4);
      svg.append(drawing("rect", { x: at, y: y - 10, width: 12, height: 12, fill: colorOf(series) }));
      svg.append(drawing("text", { x: at + 18, y }, `${data.parameters[columnAt]} ${column}`.slice(0, 26)));
    }
    let path = "", bar = Math.min(50, (right - left) / rows.length * 0.8 / columns.length);
    points[series].forEach((value, index) => {
      if (value === undefined) return;
      const y = vertical.at(value), title = `${rows[index]} ${column}: ${withUnit(value, scale)}`;
      const node = numeric
        ? drawing("circle", { cx: x(index).toFixed(1), cy: y.toFixed(1), r: 4, fill: colorOf(series) })
        : drawing("rect", { x: (x(index) + bar * (series - columns.length / 2)).toFixed(1), y: y.toFixed(1), width: Math.max(1, bar - 1).toFixed(1),
                            height: Math.max(0, bottom - y).toFixed(1), fill: colorOf(series) });
      node.append(drawing("title", {}, title));
      svg.append(node);
      path += `${path ? "L" : "M"}${x(index).toFixed(1)} ${y.toFixed(1)}`;
    });
    if (numeric && path) svg.append(drawing("path", { d: path, fill: "none", stroke: colorOf(series), "stroke-width": 2 }));
  });
  svg.append(drawing("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
  const every = Math.ceil(rows.length / 12);
  rows.forEach((row, index) => {
    if (index % every === 0) svg.append(drawing("text", { x: x(index).toFixed(1), y: bottom + 18, "text-anchor": "middle" }, row.slice(0, 24)));
  });
  svg.append(drawing("text", { class: "soft", x: (left + right) / 2, y: height - 10, "text-anchor": "middle" }, data.parameters[rowAt]));
  svg.append(drawing("text", { class: "soft", x: 4, y: top - 6 }, scale.unit));
  return svg;
}

function fill(select, options) {
  select.replaceChildren(...options.map(([value, text]) => element("option", text, { value })));
}

function setUpPivot() {
  const distinct = data.parameters.map((_, at) => new Set(data.cases.map((one) => one.parameters[at])).size);
  const varying = data.parameters.map((name, at) => [at, name]).filter(([at]) => distinct[at] > 1);
  const choices = varying.length ? varying : data.parameters.map((name, at) => [at, name]);
  if (!choices.length || !data.metrics.length) {
    byId("pivot-section").hidden = true;
    return;
  }
  fill(byId("pivot-rows"), choices);
  fill(byId("pivot-columns"), [[-1, "none"], ...choices]);
  fill(byId("pivot-value"), data.metrics.map((metric, at) => [at, headingOf(metric)]));
  byId("pivot-value").value = Math.max(0, data.metrics.findIndex((metric) => metric.kind === "time"));
  const numeric = choices.find(([at]) => keysOf(at).length > 1 && keysOf(at).every((key) => key !== "" && Number.isFinite(Number(key))));
  const row = numeric || choices[0], column = choices.find(([at]) => at !== row[0]);
  byId("pivot-rows").value = row[0];
  byId("pivot-columns").value = column && distinct[column[0]] <= 16 ? column[0] : -1;
  for (const id of ["pivot-rows", "pivot-columns", "pivot-value"]) byId(id).addEventListener("change", drawPivot);
  drawPivot();
}

// ---- everything around the tables ----------------------------------------------------------------

function setUp() {
  document.title = data.title + " – bench";
  byId("title").textContent = data.title;
  const machines = [...new Set(data.runs.map((run) => run.machine))];  // mostly one
  byId("about").textContent = machines.map((machine) =>
    data.runs.filter((run) => run.machine === machine).map((run) => [run.name, run.date].filter(Boolean).join(", "))
      .concat(machine).filter(Boolean).join(" · ")).join(" ; ");
  byId("common").textContent = data.common.join(" · ");
  if (data.problems.length) {
    byId("problems").hidden = false;
    byId("problems").querySelector("ul").replaceChildren(...data.problems.slice(0, 50).map((problem) => element("li", problem)));
    if (data.problems.length > 50) byId("problems").querySelector("ul").append(element("li", `and ${data.problems.length - 50} more`));
  }
  const notes = element("ul");
  for (const note of data.notes) notes.append(element("li", note));
  byId("notes").append(notes);
  for (const run of data.runs) {
    byId("notes").append(element("h3", run.name ? "Run " + run.name : "The run"));
    byId("notes").append(listOf(run.facts));
  }
  const statuses = [...new Set(data.cases.map((one) => one.status))];
  fill(byId("status"), [["", "all"], ...statuses.map((status) => [status, status.replaceAll("_", " ")])]);
  byId("filter").addEventListener("input", () => { table.limit = kRowsAtOnce; drawRows(); });
  byId("status").addEventListener("change", () => { table.limit = kRowsAtOnce; drawRows(); });
  byId("more").addEventListener("click", () => { table.limit += kRowsAtOnce; drawRows(); });
  for (const form of document.querySelectorAll("main form")) form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("beforeprint", () => { table.limit = Infinity; drawRows(); });
  drawHead();
  drawRows();
  setUpPivot();
  showLinked();
  window.addEventListener("hashchange", showLinked);
  document.documentElement.dataset.ready = "yes";
}

setUp();
