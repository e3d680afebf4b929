#include "binding/convert.h"

#include <array>
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

// Infinity and undefined mean no limit.
uint64_t Limit(Napi::Object object, const char* key, double scale = 1) {
  constexpr double kCountless = 1e18;
  const double number = NumberAt(object, key, kCountless) * scale;
  return number < kCountless ? static_cast<uint64_t>(number) : kUnlimited;
}

size_t Count(Napi::Object object, const char* key) {
  return static_cast<size_t>(NumberAt(object, key, 0));
}

bool Flag(Napi::Object object, const char* key) {
  const Napi::Value value = object.Get(key);
  return !value.IsEmpty() && value.IsBoolean() && value.As<Napi::Boolean>().Value();
}

Napi::Object ObjectAt(Napi::Object object, const char* key) {
  const Napi::Value value = object.Get(key);
  if (value.IsEmpty() || !value.IsObject()) return Napi::Object::New(object.Env());
  return value.As<Napi::Object>();
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

RunLimits ToLimits(Napi::Object object) {
  constexpr double kMicrosPerMilli = 1000;
  RunLimits limits;
  limits.wall_us = Limit(object, "wallMs", kMicrosPerMilli);
  limits.cpu_us = Limit(object, "cpuMs", kMicrosPerMilli);
  limits.memory_bytes = Limit(object, "memoryBytes");
  limits.calls = Limit(object, "calls");
  limits.calls_in_flight = Limit(object, "callsInFlight");
  limits.call_bytes = Limit(object, "callBytes");
  limits.call_bytes_in_flight = Limit(object, "callBytesInFlight");
  limits.result_bytes = Limit(object, "resultBytes");
  limits.value_bytes = Limit(object, "valueBytes");
  limits.value_depth = static_cast<uint32_t>(Count(object, "valueDepth"));
  limits.log_lines = Limit(object, "logLines");
  limits.log_chars = Limit(object, "logChars");
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

bool ReadRealm(Napi::Object object, const CodecLimits& limits, HostFunctionPort& port,
               RealmPlan& plan) {
  plan.allows_code_generation = Flag(object, "codeGeneration");
  plan.allows_web_assembly = Flag(object, "webAssembly");
  plan.allows_shared_memory = Flag(object, "sharedMemory");
  plan.offers_queue_microtask = Flag(object, "queueMicrotask");
  plan.console = Choice<ConsoleMode>(object, "console");
  plan.console_scope = Choice<BindingScope>(object, "consoleScope");
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

Napi::Object FromFacts(Napi::Env env, const RunFacts& facts) {
  constexpr double kMicrosPerMilli = 1000;
  const auto millis = [env](uint64_t us) {
    return Napi::Number::New(env, static_cast<double>(us) / kMicrosPerMilli);
  };
  const auto number = [env](uint64_t value) {
    return Napi::Number::New(env, static_cast<double>(value));
  };
  auto out = Napi::Object::New(env);
  out.Set("wallMs", millis(facts.wall_us));
  out.Set("cpuMs", millis(facts.cpu_us));
  out.Set("queuedMs", millis(facts.queued_us));
  out.Set("peakMemoryBytes", number(facts.peak_heap_bytes));
  out.Set("callCount", number(facts.calls));
  out.Set("callBytes", number(facts.call_bytes));
  auto calls = Napi::Array::New(env, facts.call_facts.size());
  for (uint32_t i = 0; i < facts.call_facts.size(); ++i) {
    const CallFact& fact = facts.call_facts[i];
    auto call = Napi::Object::New(env);
    call.Set("slot", number(fact.slot));
    call.Set("ms", fact.settled ? millis(fact.us) : env.Null());
    call.Set("bytesOut", number(fact.bytes_out));
    call.Set("bytesIn", number(fact.bytes_in));
    call.Set("ok", Napi::Boolean::New(env, fact.ok));
    calls.Set(i, call);
  }
  out.Set("calls", calls);
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
          {request.limits.value_bytes, request.limits.value_depth},
          request.realm.console};
}

EncodeResult Encode(Napi::Value value, const RunRules& rules, HostFunctionPort& port,
                    Payload& out) {
  if (rules.profile == ValueProfile::kJson) {
    return EncodeJson(HostContext(), ToLocal(value), rules.limits, nullptr, out);
  }
  return EncodeClone(HostContext(), ToLocal(value), rules.limits, nullptr, port, out);
}

std::optional<Napi::Value> Decode(Napi::Env env, const Payload& payload, const RunRules& rules,
                                  HostFunctionPort& port) {
  v8::TryCatch failure(v8::Isolate::GetCurrent());
  v8::Local<v8::Value> value;
  HostBuffers buffers;
  const auto decoded = rules.profile == ValueProfile::kJson
                           ? DecodeJson(HostContext(), payload)
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

std::optional<RunRequest> ToRunRequest(Napi::Object object, HostFunctionPort& port) {
  RunRequest request;
  request.id = static_cast<RunId>(NumberAt(object, "id", 0));
  request.source = Text(object, "source");
  request.filename = Text(object, "filename");
  request.kind = Choice<SourceKind>(object, "kind");
  request.profile = Choice<ValueProfile>(object, "profile");
  request.wants_live_logs = Flag(object, "wantsLiveLogs");
  request.limits = ToLimits(ObjectAt(object, "limits"));
  const CodecLimits limits = RulesOf(request).limits;
  if (!ReadRealm(ObjectAt(object, "realm"), limits, port, request.realm)) {
    return std::nullopt;
  }
  if (request.kind == SourceKind::kModule &&
      !ReadModule(ObjectAt(object, "module"), limits, port, request.module)) {
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

Napi::Object FromLogEntry(Napi::Env env, const LogEntry& entry, const RunRules& rules,
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
      if (const auto value = Decode(env, entry.arguments[i], rules, port)) {
        arguments.Set(i, *value);
      }
    }
    out.Set("args", arguments);
  }
  return out;
}

Napi::Object FromOutcome(Napi::Env env, const RunOutcome& outcome, const RunRules& rules,
                         HostFunctionPort& port) {
  auto out = Napi::Object::New(env);
  StopCause cause = outcome.cause;
  if (cause == StopCause::kFinished) {
    if (const auto value = Decode(env, outcome.value, rules, port)) {
      out.Set("value", *value);
    } else {
      cause = StopCause::kSerialization;
      ErrorReport report;
      report.name = "SerializationError";
      report.message = "The result could not be rebuilt in the host";
      out.Set("error", FromErrorReport(env, report));
    }
  } else {
    out.Set("error", FromErrorReport(env, outcome.error));
  }
  out.Set("cause", std::string(StopCauseName(cause)));
  out.Set("reason", outcome.reason);
  auto logs = Napi::Array::New(env, outcome.logs.size());
  for (uint32_t i = 0; i < outcome.logs.size(); ++i) {
    logs.Set(i, FromLogEntry(env, outcome.logs[i], rules, port));
  }
  out.Set("logs", logs);
  out.Set("logsTruncated", outcome.logs_truncated);
  out.Set("facts", FromFacts(env, outcome.facts));
  return out;
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
