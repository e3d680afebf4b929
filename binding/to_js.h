#pragma once
// What the core tells, as JS values. Loop thread only.

#include <napi.h>

#include <vector>

#include "binding/host_values.h"
#include "native/core/pool_stats.h"
#include "native/core/run_types.h"

namespace isobox::to_js {

Napi::Object FromErrorReport(Napi::Env env, const ErrorReport& report);
Napi::Object FromLogEntry(Napi::Env env, LogEntry& entry, const RunRules& rules,
                          HostFunctionPort& port);
// The arguments of the handler `onOutcome`, after the run.
std::vector<napi_value> FromOutcome(Napi::Env env, RunOutcome& outcome, const RunRules& rules,
                                    HostFunctionPort& port);
// By number, as outcomes name their causes.
Napi::Array StopCauseNames(Napi::Env env);
Napi::Object FromStats(Napi::Env env, const PoolStats& stats);

}  // namespace isobox::to_js
