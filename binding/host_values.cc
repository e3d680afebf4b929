#include "binding/host_values.h"

#include <uv.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "binding/host_garbage.h"

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
    constexpr size_t kWorthAsking = size_t{32} << 10U;
    if (bytes >= kWorthAsking) CollectYoungIfDue(v8::Isolate::GetCurrent());
    void* const data = std::malloc(bytes > 0 ? bytes : 1);
    if (data == nullptr) return nullptr;
    return v8::ArrayBuffer::NewBackingStore(
        data, bytes, [](void* memory, size_t /*length*/, void* /*unused*/) { std::free(memory); },
        nullptr);
  }
};

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

RunRules RulesOf(const RunRequest& request) {
  return {request.profile,
          {.max_bytes = request.limits.value_bytes,
           .max_depth = request.limits.value_depth,
           .max_objects = request.limits.value_objects},
          request.realm.console};
}

EncodeResult Encode(Napi::Value value, const RunRules& rules, HostFunctionPort& port,
                    Payload& out) {
  if (rules.profile == ValueProfile::kJson) {
    return EncodeJson(HostContext(), ToLocal(value), rules.limits, nullptr, out);
  }
  return EncodeClone(HostContext(), ToLocal(value), rules.limits, nullptr, port, out);
}

HostReader::HostReader(Payload&& payload, ValueProfile profile, Napi::Function append) {
  NoteRebuilt(v8::Isolate::GetCurrent(), payload.cost.bytes);
  reader_ = profile == ValueProfile::kJson
                ? ReadMarkedJson(std::move(payload), nullptr, ToLocal(append).As<v8::Function>())
                : ReadClone(std::move(payload));
}

bool HostReader::ReadUntil(uint64_t deadline, FunctionPort& port) {
  const v8::TryCatch failure(v8::Isolate::GetCurrent());
  HostBuffers buffers;
  do {
    progress_ = reader_->Step(HostContext(), port, buffers);
  } while (progress_ == ValueReader::Progress::kMore && uv_hrtime() < deadline);
  return progress_ != ValueReader::Progress::kMore;
}

std::optional<Napi::Value> HostReader::Result(Napi::Env env) const {
  if (progress_ != ValueReader::Progress::kDone) return std::nullopt;
  return Napi::Value(env, FromLocal(reader_->Result()));
}

bool TakesLong(const Payload& payload, ValueProfile profile) {
  constexpr uint64_t kLongNs = 1'000'000;
  return profile == ValueProfile::kJson ? !payload.marks.empty() : payload.cost.ns > kLongNs;
}

std::optional<Napi::Value> Decode(Napi::Env env, Payload&& payload, ValueProfile profile,
                                  FunctionPort& port) {
  const v8::TryCatch failure(v8::Isolate::GetCurrent());
  NoteRebuilt(v8::Isolate::GetCurrent(), payload.cost.bytes);
  v8::Local<v8::Value> value;
  HostBuffers buffers;
  const auto decoded = profile == ValueProfile::kJson
                           ? DecodeJson(HostContext(), std::move(payload), nullptr)
                           : DecodeClone(HostContext(), std::move(payload), port, buffers);
  if (!decoded.ToLocal(&value)) return std::nullopt;
  return Napi::Value(env, FromLocal(value));
}

Napi::Array DecodeArguments(Napi::Env env, std::vector<Payload> arguments, ValueProfile profile) {
  NoFunctions port;
  auto values = Napi::Array::New(env, arguments.size());
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    if (const auto value = Decode(env, std::move(arguments[i]), profile, port)) {
      values.Set(i, *value);
    }
  }
  return values;
}

}  // namespace isobox
