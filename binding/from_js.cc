#include "binding/from_js.h"

#include <chrono>
#include <string>
#include <vector>

namespace isobox::from_js {
namespace {

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

bool Flag(Napi::Object object, const char* key) {
  const Napi::Value value = object.Get(key);
  return !value.IsEmpty() && value.IsBoolean() && value.As<Napi::Boolean>().Value();
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
  const EncodeResult result = Encode(value, {ValueProfile::kClone, limits, {}}, port, out);
  if (!result.ok()) ThrowUnsendable(value.Env(), what, result);
  return result.ok();
}

bool ReadLibrary(Napi::Object object, const CodecLimits& limits, HostFunctionPort& port,
                 LibraryPlan& plan) {
  for (const Napi::Value& name : List(object, "globals"))
    plan.globals.push_back(TextOf(name));
  for (const Napi::Value& name : List(object, "modules"))
    plan.modules.push_back(TextOf(name));
  auto slot = static_cast<FunctionSlot>(Count(object, "firstSlot"));
  for (const Napi::Value& name : List(object, "functions")) {
    plan.functions.push_back({TextOf(name), slot++});
  }
  const Napi::Value settings = object.Get("settings");
  return !settings.IsEmpty() && EncodeNamed(settings, "web", limits, port, plan.settings);
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
  const Napi::Value library = object.Get("library");
  return library.IsEmpty() || !library.IsObject() ||
         ReadLibrary(library.As<Napi::Object>(), limits, port, plan.library);
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

}  // namespace

LibraryParts ToLibraryParts(Napi::Array list) {
  LibraryParts parts;
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const auto entry = list.Get(i).As<Napi::Object>();
    LibraryPart& part = parts[Text(entry, "name")];
    part.source = Text(entry, "source");
    const Napi::Value cache = entry.Get("cache");
    if (!cache.IsTypedArray()) continue;
    const auto bytes = cache.As<Napi::Uint8Array>();
    part.code_cache.assign(bytes.Data(), bytes.Data() + bytes.ByteLength());
  }
  return parts;
}

PoolOptions ToPoolOptions(Napi::Object object) {
  PoolOptions options;
  options.threads = Count(object, "threads");
  options.max_running = Count(object, "maxRunning");
  options.max_queued = Count(object, "maxQueued");
  options.warm_target = Count(object, "warmTarget");
  options.warm_idle = std::chrono::milliseconds(Count(object, "warmIdleMs"));
  options.max_stuck = Count(object, "maxStuck");
  options.max_stuck_bytes = Count(object, "maxStuckBytes");
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

OutputSettings ToOutputSettings(Napi::Object object) {
  return {.intent = Text(object, "intent"),
          .large_json = Flag(object, "autoChunkJson") ? LargeJson::kSummarize : LargeJson::kKeep,
          .chunk_threshold = Count(object, "chunkThreshold"),
          .max_bytes = Count(object, "maxBytes"),
          .truncation = Flag(object, "smartTruncation") ? Truncation::kMiddle : Truncation::kTail};
}

}  // namespace isobox::from_js
