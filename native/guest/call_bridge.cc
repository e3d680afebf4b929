#include "native/guest/call_bridge.h"

#include <utility>

#include "native/guest/error_marks.h"
#include "native/guest/error_report.h"
#include "native/guest/guest_catch.h"
#include "native/values/text.h"

namespace isobox {
namespace {

// A guest that hands out functions without end must not grow its host.
constexpr size_t kMaxExported = 10000;

// What rebuilding one value may take of the host's thread, all pieces together.
constexpr uint64_t kMaxRebuildNs = 250'000'000;
// V8 keeps strings of this size among small ones.
constexpr PieceSize kPiece{.bytes = size_t{96} << 10U, .ns = 1'000'000};

}  // namespace

CallBridge::CallBridge(const RunRequest& request, RunLedger& ledger, GuestOwner& owner,
                       GuestIsolate& isolate)
    : request_(request), ledger_(ledger), owner_(owner), isolate_(isolate) {}

EncodeResult CallBridge::Encode(v8::Local<v8::Value> value, uint64_t max_bytes, Payload& out) {
  CodecLimits limits = ValueLimits();
  limits.max_bytes = std::min(limits.max_bytes, max_bytes);
  return EncodeThrough(*this, value, limits, out);
}

EncodeResult CallBridge::EncodeData(v8::Local<v8::Value> value, uint64_t max_cost, Payload& out) {
  NoFunctions port;
  CodecLimits limits = ValueLimits();
  limits.max_cost.bytes = std::min(limits.max_cost.bytes, max_cost);
  return EncodeThrough(port, value, limits, out);
}

// A guest may have a value rebuilt that takes as much memory as it may use itself.
CodecLimits CallBridge::ValueLimits() const {
  const RunLimits& limits = request_.limits;
  return {.max_bytes = limits.value_bytes,
          .max_depth = limits.value_depth,
          .max_objects = limits.value_objects,
          .max_cost = {.bytes = limits.memory_bytes, .ns = kMaxRebuildNs},
          .piece = kPiece};
}

EncodeResult CallBridge::EncodeThrough(FunctionPort& port, v8::Local<v8::Value> value,
                                       const CodecLimits& limits, Payload& out) {
  const auto context = v8::Isolate::GetCurrent()->GetCurrentContext();
  if (request_.profile == ValueProfile::kJson) {
    return EncodeJson(context, value, limits, &ledger_.latch(), out);
  }
  return EncodeClone(context, value, limits, &ledger_.latch(), port, out);
}

v8::MaybeLocal<v8::Value> CallBridge::Decode(v8::Local<v8::Context> context, Payload&& payload) {
  if (request_.profile == ValueProfile::kJson) {
    return DecodeJson(context, std::move(payload), isolate_.shared_meter());
  }
  return DecodeClone(context, std::move(payload), *this, *this);
}

std::unique_ptr<v8::BackingStore> CallBridge::Allocate(size_t bytes) {
  void* const data = isolate_.meter().Allocate(bytes);
  if (data == nullptr) return nullptr;
  return v8::ArrayBuffer::NewBackingStore(
      data, bytes,
      [](void* memory, size_t length, void* meter) {
        static_cast<MemoryMeter*>(meter)->Free(memory, length);
      },
      &isolate_.meter());
}

v8::MaybeLocal<v8::Function> CallBridge::MakeHostFunction(const GuestScope& scope,
                                                          FunctionSlot slot,
                                                          v8::Local<v8::String> name) {
  const auto data = v8::Integer::NewFromUnsigned(scope.isolate(), slot);
  v8::Local<v8::Function> function;
  if (!v8::Function::New(scope.context(), OnHostCall, data, 0, v8::ConstructorBehavior::kThrow)
           .ToLocal(&function)) {
    return {};
  }
  function->SetName(name);
  return function;
}

void CallBridge::OnHostCall(const v8::FunctionCallbackInfo<v8::Value>& info) {
  CallBridge* const bridge = GuestIsolate::Current()->parts().bridge;
  v8::Isolate* const isolate = info.GetIsolate();
  const FunctionSlot slot = info.Data().As<v8::Uint32>()->Value();
  v8::Local<v8::Value> arguments = info[0];
  if (bridge->request_.profile == ValueProfile::kClone) {
    std::vector<v8::Local<v8::Value>> values;
    values.reserve(static_cast<size_t>(info.Length()));
    for (int i = 0; i < info.Length(); ++i)
      values.push_back(info[i]);
    arguments = v8::Array::New(isolate, values.data(), values.size());
  }
  Payload payload;
  const StopCatch failure(isolate, &bridge->ledger_.latch());
  const EncodeResult encoded = bridge->Encode(arguments, kUnlimited, payload);
  const auto context = isolate->GetCurrentContext();
  v8::Local<v8::Promise> promise;
  if (encoded.status == EncodeStatus::kThrew) {
    // A getter threw: the call rejects with that, as an async function would.
    v8::Local<v8::Promise::Resolver> resolver;
    if (!failure.HasThrown()) return;
    if (!v8::Promise::Resolver::New(context).ToLocal(&resolver)) return;
    resolver->Reject(context, failure.Exception()).FromMaybe(false);
    promise = resolver->GetPromise();
  } else if (!bridge->StartCall(slot, std::move(payload), encoded).ToLocal(&promise)) {
    return;
  }
  info.GetReturnValue().Set(promise);
}

v8::MaybeLocal<v8::Promise> CallBridge::StartCall(FunctionSlot slot, Payload payload,
                                                  const EncodeResult& encoded) {
  const GuestScope& scope = *isolate_.parts().scope;
  v8::Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(scope.context()).ToLocal(&resolver)) return {};
  if (!encoded.ok()) {
    resolver->Reject(scope.context(), SerializationFailure(scope, encoded)).FromMaybe(false);
    return resolver->GetPromise();
  }
  CallId call = 0;
  switch (ledger_.StartCall(slot, std::move(payload), call)) {
    case CallAdmission::kPassed:
      pending_.emplace(call, v8::Global<v8::Promise::Resolver>(scope.isolate(), resolver));
      break;
    case CallAdmission::kOverBudget:
      owner_.StopGuest(StopCause::kCalls);
      break;
    case CallAdmission::kEnded:
      break;
  }
  return resolver->GetPromise();
}

v8::Local<v8::Value> CallBridge::SerializationFailure(const GuestScope& scope,
                                                      const EncodeResult& result) {
  return error_marks::MakeHostError(scope,
                                    {"SerializationError", result.message, "serialization_error"});
}

void CallBridge::Deliver(const GuestScope& scope, ReplyMessage&& reply) {
  const auto place = pending_.find(reply.call);
  if (place == pending_.end()) return;
  const v8::HandleScope handles(scope.isolate());
  const auto resolver = place->second.Get(scope.isolate());
  pending_.erase(place);
  if (ledger_.EndCall(reply.call, reply.ok, reply.value.size()) == CallAdmission::kOverBudget) {
    return owner_.StopGuest(StopCause::kCalls);
  }
  if (!reply.ok) {
    resolver->Reject(scope.context(), error_marks::MakeHostError(scope, reply.error))
        .FromMaybe(false);
    return;
  }
  v8::Local<v8::Value> value;
  const GuestCatch failure(scope);
  if (Decode(scope.context(), std::move(reply.value)).ToLocal(&value)) {
    resolver->Resolve(scope.context(), value).FromMaybe(false);
    return;
  }
  // Nothing a guest does makes the host's bytes unreadable, except having no memory for them.
  isolate_.CheckMemory();
  if (failure.IsStopped()) return;
  const HostError error{"SerializationError", "the reply could not be rebuilt in the guest",
                        "serialization_error"};
  resolver->Reject(scope.context(), error_marks::MakeHostError(scope, error)).FromMaybe(false);
}

bool CallBridge::Export(v8::Local<v8::Object> callable, Kind /*kind*/, FunctionSlot& slot) {
  const int hash = callable->GetIdentityHash();
  const auto [first, last] = exported_by_hash_.equal_range(hash);
  for (auto place = first; place != last; ++place) {
    slot = place->second;
    if (exported_[slot] == callable) return true;
  }
  if (exported_.size() >= kMaxExported) return false;
  slot = static_cast<FunctionSlot>(exported_.size());
  exported_.emplace_back(isolate_.isolate(), callable.As<v8::Function>());
  exported_by_hash_.emplace(hash, slot);
  return true;
}

v8::MaybeLocal<v8::Value> CallBridge::Import(FunctionSlot slot, Kind kind) {
  if (kind == Kind::kPromise) {
    // A host promise is a call without arguments that has been under way all along.
    v8::Local<v8::Promise> promise;
    Payload none;
    v8::Isolate* const isolate = isolate_.isolate();
    const EncodeResult encoded = Encode(v8::Array::New(isolate, 0), kUnlimited, none);
    if (!StartCall(slot, std::move(none), encoded).ToLocal(&promise)) return {};
    return promise;
  }
  const auto known = imported_.find(slot);
  if (known != imported_.end()) return known->second.Get(isolate_.isolate());
  v8::Local<v8::Function> function;
  if (!MakeHostFunction(*isolate_.parts().scope, slot, v8::String::Empty(isolate_.isolate()))
           .ToLocal(&function)) {
    return {};
  }
  imported_.emplace(slot, v8::Global<v8::Function>(isolate_.isolate(), function));
  return function;
}

void CallBridge::Invoke(const GuestScope& scope, InvokeMessage&& message) {
  v8::Isolate* const isolate = scope.isolate();
  const auto context = scope.context();
  const v8::HandleScope handles(isolate);
  const GuestCatch failure(scope);
  v8::Local<v8::Promise::Resolver> resolver;
  v8::Local<v8::Value> decoded;
  if (message.slot >= exported_.size() || !v8::Promise::Resolver::New(context).ToLocal(&resolver) ||
      !Decode(context, std::move(message.arguments)).ToLocal(&decoded) || !decoded->IsArray()) {
    return;
  }
  invocations_.push_back({message.invocation, {isolate, resolver->GetPromise()}});
  const auto array = decoded.As<v8::Array>();
  std::vector<v8::Local<v8::Value>> arguments(array->Length());
  for (uint32_t i = 0; i < array->Length(); ++i) {
    if (!array->Get(context, i).ToLocal(&arguments[i])) return;
  }
  v8::Local<v8::Value> result;
  if (exported_[message.slot]
          .Get(isolate)
          ->Call(context, v8::Undefined(isolate), static_cast<int>(arguments.size()),
                 arguments.data())
          .ToLocal(&result)) {
    resolver->Resolve(context, result).FromMaybe(false);
  } else if (failure.HasThrown()) {
    resolver->Reject(context, failure.Exception()).FromMaybe(false);
  }
}

void CallBridge::PostSettledInvocations(const GuestScope& scope) {
  std::vector<Invocation> open;
  for (Invocation& invocation : invocations_) {
    if (scope.IsStopped()) return;
    const v8::HandleScope handles(scope.isolate());
    const auto promise = invocation.promise.Get(scope.isolate());
    if (promise->State() == v8::Promise::kPending) {
      open.push_back(std::move(invocation));
      continue;
    }
    InvokedEvent event;
    event.invocation = invocation.id;
    const GuestCatch failure(scope);
    if (promise->State() == v8::Promise::kRejected) {
      event.error = DescribeError(scope, promise->Result(), {});
    } else {
      const EncodeResult encoded = Encode(promise->Result(), kUnlimited, event.value);
      event.ok = encoded.ok();
      if (encoded.status == EncodeStatus::kThrew) {
        if (!failure.HasThrown()) return;
        event.error = DescribeError(scope, failure.Exception(), failure.Message());
      } else if (!event.ok) {
        event.error.name = "SerializationError";
        event.error.message = encoded.message;
      }
    }
    ledger_.PostInvoked(std::move(event));
  }
  invocations_ = std::move(open);
}

}  // namespace isobox
