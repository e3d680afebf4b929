#include "binding/to_js.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace isobox::to_js {
namespace {

// In the order in which lib/outcome.js reads them: the run's, then five numbers per call.
Napi::Float64Array FromFacts(Napi::Env env, const RunFacts& facts) {
  constexpr double kMicrosPerMilli = 1000;
  const auto number = [](uint64_t value) { return static_cast<double>(value); };
  const auto millis = [](uint64_t us) { return static_cast<double>(us) / kMicrosPerMilli; };
  std::vector<double> numbers = {millis(facts.wall_us),   millis(facts.cpu_us),
                                 millis(facts.queued_us), number(facts.peak_heap_bytes),
                                 number(facts.calls),     number(facts.call_bytes)};
  for (const CallFact& fact : facts.call_facts) {
    const double ms = fact.settled ? millis(fact.us) : std::nan("");
    numbers.insert(numbers.end(), {number(fact.slot), ms, number(fact.bytes_out),
                                   number(fact.bytes_in), fact.ok ? 1.0 : 0.0});
  }
  auto out = Napi::Float64Array::New(env, numbers.size());
  // Not made in a Worker that is being terminated.
  if (!out.IsEmpty()) std::copy(numbers.begin(), numbers.end(), out.Data());
  return out;
}

// A function that rebuilds the arguments of a log entry, once.
Napi::Function ArgumentsWhenRead(Napi::Env env, std::vector<Payload> arguments,
                                 ValueProfile profile) {
  const auto held = std::make_shared<std::vector<Payload>>(std::move(arguments));
  return Napi::Function::New(env, [held, profile](const Napi::CallbackInfo& info) {
    return DecodeArguments(info.Env(), std::move(*held), profile);
  });
}

}  // namespace

Napi::Object FromErrorReport(Napi::Env env, const ErrorReport& report) {
  auto out = Napi::Object::New(env);
  out.Set("name", report.name);
  out.Set("message", report.message);
  out.Set("isObject", report.is_object);
  if (report.is_host_error) out.Set("hostCode", report.host_code);
  if (!report.filename.empty()) out.Set("filename", report.filename);
  if (!report.specifier.empty()) out.Set("specifier", report.specifier);
  if (report.line > 0) out.Set("line", report.line);
  if (report.line > 0) out.Set("column", report.column);
  auto frames = Napi::Array::New(env, report.frames.size());
  for (uint32_t i = 0; i < report.frames.size(); ++i) {
    const StackFrame& frame = report.frames[i];
    auto entry = Napi::Object::New(env);
    entry.Set("functionName", frame.function);
    entry.Set("filename", frame.filename);
    entry.Set("line", frame.line);
    entry.Set("column", frame.column);
    frames.Set(i, entry);
  }
  out.Set("frames", frames);
  return out;
}

Logs FromLogs(Napi::Env env, std::vector<LogEntry> entries, const RunRules& rules, uint64_t& ns) {
  // What may be taken of the loop while logs come; the rest is taken when somebody reads them.
  constexpr uint64_t kMaxNs = 5'000'000;
  constexpr size_t kNumbers = 2;
  Logs logs{Napi::Array::New(env, entries.size()),
            Napi::Float64Array::New(env, kNumbers * entries.size())};
  // Not made in a Worker that is being terminated.
  if (logs.contents.IsEmpty() || logs.numbers.IsEmpty()) return logs;
  for (uint32_t i = 0; i < entries.size(); ++i) {
    LogEntry& entry = entries[i];
    logs.numbers.Data()[kNumbers * i] = static_cast<double>(entry.level);
    logs.numbers.Data()[kNumbers * i + 1] = entry.timestamp_ms;
    if (rules.console == ConsoleMode::kLines) {
      logs.contents.Set(i, entry.text);
      continue;
    }
    for (const Payload& argument : entry.arguments)
      ns += argument.cost.ns;
    if (ns <= kMaxNs) {
      logs.contents.Set(i, DecodeArguments(env, std::move(entry.arguments), rules.profile));
    } else {
      logs.contents.Set(i, ArgumentsWhenRead(env, std::move(entry.arguments), rules.profile));
    }
  }
  return logs;
}

std::vector<napi_value> FromOutcome(Napi::Env env, RunOutcome& outcome,
                                    const std::optional<Napi::Value>& value, const RunRules& rules,
                                    uint64_t log_ns) {
  StopCause cause = outcome.cause;
  Napi::Value error = env.Undefined();
  if (cause == StopCause::kFinished && !value) {
    cause = StopCause::kSerialization;
    outcome.error.name = "SerializationError";
    outcome.error.message = "The result could not be rebuilt in the host";
  }
  if (cause != StopCause::kFinished) error = FromErrorReport(env, outcome.error);
  const Logs logs = FromLogs(env, std::move(outcome.logs), rules, log_ns);
  return {Napi::Number::New(env, static_cast<double>(cause)),
          value ? *value : env.Undefined(),
          error,
          Napi::String::New(env, outcome.reason),
          logs.contents,
          logs.numbers,
          Napi::Boolean::New(env, outcome.logs_truncated),
          FromFacts(env, outcome.facts)};
}

Napi::Array StopCauseNames(Napi::Env env) {
  auto names = Napi::Array::New(env, kStopCauseCount);
  for (uint32_t i = 0; i < kStopCauseCount; ++i) {
    names.Set(i, std::string(StopCauseName(static_cast<StopCause>(i))));
  }
  return names;
}

Napi::Object FromStats(Napi::Env env, const PoolStats& stats) {
  const auto number = [env](uint64_t value) {
    return Napi::Number::New(env, static_cast<double>(value));
  };
  auto out = Napi::Object::New(env);
  out.Set("threads", number(stats.threads));
  out.Set("running", number(stats.running));
  out.Set("parked", number(stats.parked));
  out.Set("queued", number(stats.queued));
  out.Set("warm", number(stats.warm));
  out.Set("stuck", number(stats.stuck));
  out.Set("calls", number(stats.calls));
  out.Set("callBytes", number(stats.call_bytes));
  auto outcomes = Napi::Object::New(env);
  for (size_t i = 1; i < stats.outcomes.size(); ++i) {
    outcomes.Set(std::string(StopCauseName(static_cast<StopCause>(i))),
                 number(stats.outcomes.at(i)));
  }
  out.Set("outcomes", outcomes);
  auto latency = Napi::Object::New(env);
  constexpr double kMicrosPerMilli = 1000;
  latency.Set("p50Ms", static_cast<double>(stats.latency_p50_us) / kMicrosPerMilli);
  latency.Set("p95Ms", static_cast<double>(stats.latency_p95_us) / kMicrosPerMilli);
  latency.Set("p99Ms", static_cast<double>(stats.latency_p99_us) / kMicrosPerMilli);
  out.Set("latency", latency);
  if (!stats.processes) return out;
  out.Set("processes", number(stats.processes->count));
  out.Set("processesForked", number(stats.processes->forked));
  out.Set("processesStarted", number(stats.processes->started));
  auto locks = Napi::Array::New(env, stats.processes->locks.size());
  for (uint32_t i = 0; i < locks.Length(); ++i)
    locks.Set(i, stats.processes->locks[i]);
  out.Set("sandbox", locks);
  return out;
}

}  // namespace isobox::to_js
