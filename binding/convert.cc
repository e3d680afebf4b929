#include "binding/convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace isobox {
namespace {

// Node-API values are V8 handles by another name; codec code takes the V8 name.
v8::Local<v8::Value> ToLocal(napi_value value) {
  static_assert(sizeof(v8::Local<v8::Value>) == sizeof(napi_value));
  v8::Local<v8::Value> local;
  std::memcpy(static_cast<void*>(&local), &value, sizeof(value));
  return local;
}

napi_value FromLocal(v8::Local<v8::Value> local) {
  napi_value value = nullptr;
  std::memcpy(&value, static_cast<void*>(&local), sizeof(value));
  return value;
}

v8::Local<v8::Context> HostContext() { return v8::Isolate::GetCurrent()->GetCurrentContext(); }

class HostBuffers final : public BufferSource {
 public:
  std::unique_ptr<v8::BackingStore> Allocate(size_t bytes) override {
    void* const data = std::malloc(bytes > 0 ? bytes : 1);
    if (data == nullptr) return nullptr;
    return v8::ArrayBuffer::NewBackingStore(
        data, bytes, [](void* memory, size_t /*length*/, void* /*unused*/) { std::free(memory); },
        nullptr);
  }
};

// lib/ has checked the types, but a Worker that is being terminated can read no property: every
// read may come back empty, and must not be used then.

std::string TextOf(const Napi::Value& value) {
  if (value.IsEmpty() || !value.IsString()) return {};
  return value.As<Napi::String>().Utf8Value();
}

std::string Text(Napi::Object object, const char* key) { return TextOf(object.Get(key)); }

double NumberAt(Napi::Object object, const char* key, double otherwise) {
  const Napi::Value value = object.Get(key);
  if (value.IsEmpty() || !value.IsNumber()) return otherwise;
  return value.As<Napi::Number>().DoubleValue();
}

size_t Count(Napi::Object object, const char* key) {
  return static_cast<size_t>(NumberAt(object, key, 0));
}

// The elements of an array property.
std::vector<Napi::Value> List(Napi::Object object, const char* key) {
  std::vector<Napi::Value> elements;
  const Napi::Value value = object.Get(key);
  if (value.IsEmpty() || !value.IsArray()) return elements;
  const auto array = value.As<Napi::Array>();
  const uint32_t length = array.Length();
  elements.reserve(length);
  for (uint32_t i = 0; i < length; ++i) {
    const Napi::Value element = array.Get(i);
    if (element.IsEmpty()) return {};
    elements.push_back(element);
  }
  return elements;
}

template <typename T>
T Choice(Napi::Object object, const char* key) {
  return static_cast<T>(Count(object, key));
}

// The numbers of a request, in the order in which lib/run-request.js lays them out.
class NumberReader {
 public:
  explicit NumberReader(const Napi::Float64Array& numbers)
      : next_(numbers.Data()), end_(next_ + numbers.ElementLength()) {}

  double Number() { return next_ == end_ ? 0 : *next_++; }
  bool Flag() { return Number() != 0; }
  template <typename T>
  T Choice() {
    return static_cast<T>(Number());
  }
  // Infinity means no limit.
  uint64_t Limit(double scale = 1) {
    constexpr double kCountless = 1e18;
    const double number = Number() * scale;
    return number < kCountless ? static_cast<uint64_t>(number) : kUnlimited;
  }

 private:
  const double* next_;
  const double* end_;
};

RunLimits ToLimits(NumberReader& numbers) {
  constexpr double kMicrosPerMilli = 1000;
  RunLimits limits;
  limits.wall_us = numbers.Limit(kMicrosPerMilli);
  limits.cpu_us = numbers.Limit(kMicrosPerMilli);
  limits.memory_bytes = numbers.Limit();
  limits.calls = numbers.Limit();
  limits.calls_in_flight = numbers.Limit();
  limits.call_bytes = numbers.Limit();
  limits.call_bytes_in_flight = numbers.Limit();
  limits.result_bytes = numbers.Limit();
  limits.value_bytes = numbers.Limit();
  limits.value_depth = static_cast<uint32_t>(numbers.Limit());
  limits.value_objects = numbers.Limit();
  limits.log_lines = numbers.Limit();
  limits.log_chars = numbers.Limit();
  return limits;
}

// Throws what the encoder has to say, unless a getter has thrown already.
void ThrowUnsendable(Napi::Env env, const std::string& what, const EncodeResult& result) {
  if (result.status == EncodeStatus::kThrew) return;
  Napi::TypeError error = Napi::TypeError::New(env, what + ": " + result.message);
  error.Set("code", "ERR_ISOBOX_NOT_TRANSFERABLE");
  error.ThrowAsJavaScriptException();
}

// Values in a request always cross as clones.
bool EncodeNamed(Napi::Value value, const std::string& what, const CodecLimits& limits,
                 HostFunctionPort& port, Payload& out) {
  const EncodeResult result = convert::Encode(value, {ValueProfile::kClone, limits, {}}, port, out);
  if (!result.ok()) ThrowUnsendable(value.Env(), what, result);
  return result.ok();
}

bool ReadNames(Napi::Object object, const CodecLimits& limits, HostFunctionPort& port,
               RealmPlan& plan) {
  for (const Napi::Value& element : List(object, "namespaces")) {
    const auto entry = element.As<Napi::Object>();
    NamespacePlan& out = plan.namespaces.emplace_back();
    out.name = Text(entry, "name");
    auto slot = static_cast<FunctionSlot>(Count(entry, "firstSlot"));
    for (const Napi::Value& member : List(entry, "members")) {
      out.members.push_back({TextOf(member), slot++});
    }
  }
  for (const Napi::Value& element : List(object, "bindings")) {
    const auto entry = element.As<Napi::Object>();
    BindingPlan& out = plan.bindings.emplace_back();
    out.name = Text(entry, "name");
    out.scope = Choice<BindingScope>(entry, "scope");
    const Napi::Value value = entry.Get("value");
    if (value.IsEmpty() ||
        !EncodeNamed(value, "global '" + out.name + "'", limits, port, out.value)) {
      return false;
    }
  }
  return true;
}

bool ReadModule(Napi::Object object, const CodecLimits& limits, HostFunctionPort& port,
                ModulePlan& plan) {
  plan.entry_path = Text(object, "entryPath");
  plan.meta_url_prefix = Text(object, "metaUrlPrefix");
  plan.export_name = Text(object, "exportName");
  plan.argument_count = static_cast<uint32_t>(List(object, "arguments").size());
  if (plan.argument_count > 0 &&
      !EncodeNamed(object.Get("arguments"), "arguments", limits, port, plan.arguments)) {
    return false;
  }
  for (const Napi::Value& suffix : List(object, "suffixes")) {
    plan.suffixes.push_back(TextOf(suffix));
  }
  for (const Napi::Value& element : List(object, "sources")) {
    const auto entry = element.As<Napi::Object>();
    plan.sources.push_back({Text(entry, "path"), Text(entry, "source")});
  }
  for (const Napi::Value& element : List(object, "synthetic")) {
    const auto entry = element.As<Napi::Object>();
    SyntheticModulePlan& out = plan.synthetic.emplace_back();
    out.specifier = Text(entry, "specifier");
    const auto names = List(entry, "names");
    const auto values = List(entry, "values");
    for (size_t i = 0; i < names.size() && i < values.size(); ++i) {
      auto& [name, payload] = out.exports.emplace_back();
      name = TextOf(names[i]);
      const std::string what = "export '" + name + "' of '" + out.specifier + "'";
      if (!EncodeNamed(values[i], what, limits, port, payload)) return false;
    }
  }
  return true;
}

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

}  // namespace

bool HostFunctionPort::Export(v8::Local<v8::Object> callable, Kind /*kind*/, FunctionSlot& slot) {
  const auto context = HostContext();
  const Napi::Value index_value = slots_.Get("index");
  const Napi::Value list_value = slots_.Get("list");
  if (index_value.IsEmpty() || list_value.IsEmpty()) return false;
  const auto index = ToLocal(index_value).As<v8::Map>();
  v8::Local<v8::Value> known;
  if (index->Get(context, callable).ToLocal(&known) && known->IsUint32()) {
    slot = known.As<v8::Uint32>()->Value();
    return true;
  }
  auto list = list_value.As<Napi::Array>();
  slot = list.Length();
  list.Set(slot, Napi::Value(env_, FromLocal(callable)));
  return !index
              ->Set(context, callable,
                    v8::Integer::NewFromUnsigned(v8::Isolate::GetCurrent(), slot))
              .IsEmpty();
}

v8::MaybeLocal<v8::Value> HostFunctionPort::Import(FunctionSlot slot, Kind /*kind*/) {
  const Napi::Value proxy = make_proxy_.Call({Napi::Number::New(env_, static_cast<double>(run_)),
                                              Napi::Number::New(env_, static_cast<double>(slot))});
  if (proxy.IsEmpty()) return {};
  return ToLocal(proxy);
}

namespace convert {

RunRules RulesOf(const RunRequest& request) {
  return {request.profile,
          {request.limits.value_bytes, request.limits.value_depth, request.limits.value_objects},
          request.realm.console};
}

EncodeResult Encode(Napi::Value value, const RunRules& rules, HostFunctionPort& port,
                    Payload& out) {
  if (rules.profile == ValueProfile::kJson) {
    return EncodeJson(HostContext(), ToLocal(value), rules.limits, nullptr, out);
  }
  return EncodeClone(HostContext(), ToLocal(value), rules.limits, nullptr, port, out);
}

std::optional<Napi::Value> Decode(Napi::Env env, Payload&& payload, const RunRules& rules,
                                  HostFunctionPort& port) {
  v8::TryCatch failure(v8::Isolate::GetCurrent());
  v8::Local<v8::Value> value;
  HostBuffers buffers;
  const auto decoded = rules.profile == ValueProfile::kJson
                           ? DecodeJson(HostContext(), std::move(payload), nullptr)
                           : DecodeClone(HostContext(), payload, port, buffers);
  if (!decoded.ToLocal(&value)) return std::nullopt;
  return Napi::Value(env, FromLocal(value));
}

PoolOptions ToPoolOptions(Napi::Object object) {
  PoolOptions options;
  options.threads = Count(object, "threads");
  options.max_running = Count(object, "maxRunning");
  options.max_queued = Count(object, "maxQueued");
  options.warm_target = Count(object, "warmTarget");
  options.warm_idle = std::chrono::milliseconds(Count(object, "warmIdleMs"));
  options.max_stuck = Count(object, "maxStuck");
  return options;
}

std::optional<RunRequest> ToRunRequest(const Napi::CallbackInfo& info, HostFunctionPort& port) {
  RunRequest request;
  NumberReader numbers(info[0].As<Napi::Float64Array>());
  request.id = static_cast<RunId>(numbers.Number());
  request.kind = numbers.Choice<SourceKind>();
  request.profile = numbers.Choice<ValueProfile>();
  request.wants_live_logs = numbers.Flag();
  request.realm.console = numbers.Choice<ConsoleMode>();
  request.realm.console_scope = numbers.Choice<BindingScope>();
  request.realm.allows_code_generation = numbers.Flag();
  request.realm.allows_web_assembly = numbers.Flag();
  request.realm.allows_shared_memory = numbers.Flag();
  request.realm.offers_queue_microtask = numbers.Flag();
  request.limits = ToLimits(numbers);
  request.source = TextOf(info[1]);
  request.filename = TextOf(info[2]);
  const CodecLimits limits = RulesOf(request).limits;
  if (info[3].IsObject() && !ReadNames(info[3].As<Napi::Object>(), limits, port, request.realm)) {
    return std::nullopt;
  }
  if (info[4].IsObject() && !ReadModule(info[4].As<Napi::Object>(), limits, port, request.module)) {
    return std::nullopt;
  }
  return request;
}

HostError ToHostError(Napi::Object object) {
  return {Text(object, "name"), Text(object, "message"), Text(object, "code")};
}

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

Napi::Object FromLogEntry(Napi::Env env, LogEntry& entry, const RunRules& rules,
                          HostFunctionPort& port) {
  static constexpr std::array<const char*, 5> kLevels = {"log", "info", "warn", "error", "debug"};
  auto out = Napi::Object::New(env);
  out.Set("level", kLevels.at(static_cast<size_t>(entry.level)));
  out.Set("timestamp", entry.timestamp_ms);
  if (rules.console == ConsoleMode::kLines) {
    out.Set("text", entry.text);
  } else {
    auto arguments = Napi::Array::New(env, entry.arguments.size());
    for (uint32_t i = 0; i < entry.arguments.size(); ++i) {
      if (const auto value = Decode(env, std::move(entry.arguments[i]), rules, port)) {
        arguments.Set(i, *value);
      }
    }
    out.Set("args", arguments);
  }
  return out;
}

std::vector<napi_value> FromOutcome(Napi::Env env, RunOutcome& outcome, const RunRules& rules,
                                    HostFunctionPort& port) {
  StopCause cause = outcome.cause;
  Napi::Value value = env.Undefined();
  Napi::Value error = env.Undefined();
  if (cause != StopCause::kFinished) {
    error = FromErrorReport(env, outcome.error);
  } else if (const auto decoded = Decode(env, std::move(outcome.value), rules, port)) {
    value = *decoded;
  } else {
    cause = StopCause::kSerialization;
    ErrorReport report;
    report.name = "SerializationError";
    report.message = "The result could not be rebuilt in the host";
    error = FromErrorReport(env, report);
  }
  auto logs = Napi::Array::New(env, outcome.logs.size());
  for (uint32_t i = 0; i < outcome.logs.size(); ++i) {
    logs.Set(i, FromLogEntry(env, outcome.logs[i], rules, port));
  }
  return {Napi::Number::New(env, static_cast<double>(cause)),
          value,
          error,
          Napi::String::New(env, outcome.reason),
          logs,
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
  return out;
}

}  // namespace convert
}  // namespace isobox
