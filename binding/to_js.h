#pragma once
// What the core tells, as JS values. Loop thread only.

#include <napi.h>

#include <optional>
#include <vector>

#include "binding/host_values.h"
#include "native/core/pool_stats.h"
#include "native/core/run_types.h"

namespace isobox::to_js {

Napi::Object FromErrorReport(Napi::Env env, const ErrorReport& report);

// Log entries, for lib/ to make objects of: what was logged, and a level and a time for each. Of a
// line that is its text, of an entry its arguments, or, where rebuilding them takes long, a
// function that does so.
struct Logs {
  Napi::Array contents;
  Napi::Float64Array numbers;
};
// `ns` is what rebuilding the run's logs has taken so far.
Logs FromLogs(Napi::Env env, std::vector<LogEntry> entries, const RunRules& rules, uint64_t& ns);
// The arguments of the handler `onOutcome`, after the run.
std::vector<napi_value> FromOutcome(Napi::Env env, RunOutcome& outcome,
                                    const std::optional<Napi::Value>& value, const RunRules& rules,
                                    uint64_t log_ns);
// By number, as outcomes name their causes.
Napi::Array StopCauseNames(Napi::Env env);
Napi::Object FromStats(Napi::Env env, const PoolStats& stats);

}  // namespace isobox::to_js
