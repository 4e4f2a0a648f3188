#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/protocol/json.hpp"
#include "harness/protocol/nouns_json.hpp"
#include "harness/protocol/older_documents.hpp"

namespace bench::protocol {
namespace {

using nlohmann::ordered_json;

// ---- Policy -------------------------------------------------------------------------------------

// A budget or timeout that is not finite is no limit: absent, and read back as infinity.
ordered_json to_json(const Policy& policy) {
  ordered_json json{{"warmup_steps", policy.warmup_steps}};
  if (policy.steps) {
    json["steps"] = *policy.steps;
  } else {
    json["steps"] = "auto";
  }
  json["timing"] = to_text(policy.timing);
  json["cache"] = to_text(policy.cache);
  if (std::isfinite(policy.time_budget_s)) json["time_budget_s"] = policy.time_budget_s;
  if (std::isfinite(policy.timeout_s)) json["timeout_s"] = policy.timeout_s;
  json["seed"] = policy.seed;
  return json;
}

Policy policy_from(const Reader& reader) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  Policy policy;
  policy.warmup_steps = reader.integer<int>("warmup_steps", 0);
  if (reader.member("steps").is_string()) {
    if (reader.text("steps") != "auto") reader.fail("steps", "expected an integer or \"auto\"");
    policy.steps.reset();
  } else {
    policy.steps = reader.integer<int>("steps", 1);
  }
  policy.timing = timing_from(reader);
  policy.cache = cache_from(reader);
  policy.time_budget_s = reader.real_if("time_budget_s").value_or(kNoLimit);
  policy.timeout_s = reader.real_if("timeout_s").value_or(kNoLimit);
  policy.seed = reader.integer<std::uint64_t>("seed");
  return policy;
}

// ---- Work ---------------------------------------------------------------------------------------

ordered_json to_json(const Amount& amount) {
  ordered_json json{{"metric", amount.metric},
                    {"heading", amount.heading},
                    {"unit", amount.unit},
                    {"kind", to_text(amount.kind)},
                    {"per_step", amount.per_step}};
  if (amount.rate_heading) json["rate_heading"] = *amount.rate_heading;
  return json;
}

ordered_json to_json(const Work& work) {
  auto amounts = ordered_json::array();
  for (const Amount& amount : work.amounts)
    if (std::isfinite(amount.per_step)) amounts.push_back(to_json(amount));
  return {{"amounts", std::move(amounts)}, {"formula", work.formula}};
}

Quantity kind_from(const Reader& reader) {
  return reader.choice("kind", quantity_from_text,
                       {Quantity::time, Quantity::rate, Quantity::share, Quantity::memory, Quantity::traffic,
                        Quantity::arithmetic, Quantity::kernels, Quantity::count});
}

Work work_from(const Reader& reader) {
  Work work{.amounts = {}, .formula = reader.text("formula")};
  reader.each("amounts", [&](const Reader& item) {
    work.amounts.push_back({.metric = item.text("metric"),
                            .heading = item.text("heading"),
                            .unit = item.text("unit"),
                            .kind = kind_from(item),
                            .per_step = item.real("per_step"),
                            .rate_heading = item.text_if("rate_heading")});
  });
  return work;
}

// ---- Summary ------------------------------------------------------------------------------------

ordered_json to_json(const Summary& summary) {
  ordered_json json{{"metric", summary.metric},
                    {"heading", summary.heading},
                    {"unit", summary.unit},
                    {"kind", to_text(summary.kind)}};
  if (summary.source) json["source"] = to_text(summary.source->kind);
  if (summary.source && summary.source->kind == TimeSource::Kind::phase)
    json["phase"] = summary.source->phase;
  json["value"] = summary.value;
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) json[name] = *value;
  };
  // Half an interval is none.
  if (summary.low && summary.high && std::isfinite(*summary.low) && std::isfinite(*summary.high)) {
    json["low"] = *summary.low;
    json["high"] = *summary.high;
  }
  json["n"] = summary.n;
  add("mean", summary.mean);
  add("standard_deviation", summary.standard_deviation);
  add("minimum", summary.minimum);
  add("p10", summary.p10);
  add("p90", summary.p90);
  json["interval_capped"] = summary.interval_capped;
  return json;
}

std::optional<TimeSource> source_from(const Reader& reader) {
  using enum TimeSource::Kind;
  if (!reader.has("source")) return std::nullopt;
  TimeSource source{reader.choice("source", time_source_kind_from_text, {host, device, phase})};
  if (source.kind == phase) source.phase = reader.integer<std::size_t>("phase");
  return source;
}

Summary summary_from(const Reader& reader, Written written) {
  Summary summary;
  summary.metric = reader.text("metric");
  summary.unit = reader.text("unit");
  if (written == Written::with_types) {
    summary.heading = reader.text("heading");
    summary.kind = kind_from(reader);
    summary.source = source_from(reader);
  }
  summary.value = reader.real("value");
  summary.low = reader.real_if("low");
  summary.high = reader.real_if("high");
  summary.n = reader.integer<std::int64_t>("n", 0);
  summary.mean = reader.real_if("mean");
  summary.standard_deviation = reader.real_if("standard_deviation");
  summary.minimum = reader.real_if("minimum");
  summary.p10 = reader.real_if("p10");
  summary.p90 = reader.real_if("p90");
  summary.interval_capped = reader.boolean("interval_capped");
  return summary;
}

// ---- Remark -------------------------------------------------------------------------------------

ordered_json to_json(const Remark& remark) {
  ordered_json json{{"code", to_text(remark.code)}, {"text", remark.text}};
  for (const auto& [name, value] : remark.values) json["values"][name] = value_to_json(value);
  return json;
}

ordered_json to_json(const std::vector<Remark>& remarks) {
  auto json = ordered_json::array();
  for (const Remark& remark : remarks) json.push_back(to_json(remark));
  return json;
}

// Of a later bench's code the sentence is left.
Remark remark_from(const Reader& reader) {
  Remark remark = said(reader.text("text"));
  remark.code = remark_code_from_text(reader.text("code")).value_or(RemarkCode::said);
  if (reader.has("values"))
    reader.members("values", [&](const std::string& name, const ordered_json& value) {
      remark.values.emplace_back(name, value_from(reader, "values", name, value));
    });
  return remark;
}

std::vector<Remark> remarks_from(const Reader& reader, std::string_view name) {
  std::vector<Remark> remarks;
  reader.each(name, [&](const Reader& item) { remarks.push_back(remark_from(item)); });
  return remarks;
}

Remark remark_from(const Reader& reader, std::string_view name) {
  const Reader member = reader.object(name);
  return remark_from(member);
}

}  // namespace

// ---- CaseResult ---------------------------------------------------------------------------------

ordered_json to_json(const CaseResult& result) {
  auto warnings = to_json(result.warnings);
  auto summaries = ordered_json::array();
  for (const Summary& summary : result.summaries) {
    if (std::isfinite(summary.value)) {
      summaries.push_back(to_json(summary));
    } else {
      warnings.push_back(to_json(remark(RemarkCode::value_not_finite, {{"metric", summary.metric}})));
    }
  }

  ordered_json json = to_json(result.configuration);
  if (result.repetition != 0) json["repetition"] = result.repetition;
  json["status"] = to_text(result.status);
  if (!result.reason.empty()) json["reason"] = to_json(result.reason);
  json["policy"] = to_json(result.policy);
  if (!result.stop_reason.empty()) json["stop_reason"] = to_json(result.stop_reason);
  json["steps_per_sample"] = result.steps_per_sample;
  if (result.first_step_ns) json["first_step_ns"] = *result.first_step_ns;
  json["phase_names"] = result.phase_names;
  json["samples"] = to_json(result.samples);
  json["work"] = to_json(result.work);
  if (result.check) json["check"] = to_json(*result.check);
  if (result.verification) json["verification"] = to_json(*result.verification);
  if (result.memory) json["memory"] = to_json(*result.memory);
  json["summaries"] = std::move(summaries);
  json["counters"] = to_json(result.counters);
  json["warnings"] = std::move(warnings);
  if (!result.notes.empty()) json["notes"] = to_json(result.notes);
  return json;
}

CaseResult case_result_from(const Reader& reader) {
  CaseResult result;
  result.configuration = case_from(reader);
  if (reader.has("repetition")) result.repetition = reader.integer<int>("repetition", 0);
  result.status = status_from(reader);
  const Reader policy = reader.object("policy");
  result.policy = policy_from(policy);
  result.steps_per_sample = reader.integer<int>("steps_per_sample", 0);
  if (reader.has("first_step_ns")) result.first_step_ns = reader.integer<std::int64_t>("first_step_ns");
  result.phase_names = reader.texts("phase_names");
  reader.each("samples", [&](const Reader& item) {
    result.samples.push_back(sample_from(item));
    const std::size_t phases = result.samples.back().phase_ns.size();
    if (phases != 0 && phases != result.phase_names.size()) {
      item.fail("phase_ns", fmt::format("{} entries for {} phase names", phases, result.phase_names.size()));
    }
  });
  const Reader work = reader.object("work");
  const Written written = written_as(work);
  result.work = written == Written::with_types ? work_from(work) : older_work_from(work);
  if (reader.has("check")) {
    const Reader check = reader.object("check");
    result.check = check_from(check);
  }
  if (reader.has("verification")) {
    const Reader verification = reader.object("verification");
    result.verification = check_from(verification);
  }
  if (reader.has("memory")) {
    const Reader memory = reader.object("memory");
    result.memory = memory_from(memory);
  }
  reader.each("summaries",
              [&](const Reader& item) { result.summaries.push_back(summary_from(item, written)); });
  result.counters = reader.real_map("counters");
  if (written == Written::without_types) {
    add_types(result);
    add_older_remarks(result, reader);
    return result;
  }
  if (result.status != Status::ok || reader.has("reason")) result.reason = remark_from(reader, "reason");
  if (reader.has("stop_reason")) result.stop_reason = remark_from(reader, "stop_reason");
  result.warnings = remarks_from(reader, "warnings");
  if (reader.has("notes")) result.notes = remarks_from(reader, "notes");
  return result;
}

CaseResult case_result_from_json(const ordered_json& json, const std::string& where) {
  return case_result_from(Reader(json, where));
}

}  // namespace bench::protocol
