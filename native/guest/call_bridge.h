#pragma once
// Calls between guest and host: guest call -> pending promise -> reply, by call id; and the guest's
// functions that the host may call. Worker thread, isolate entered.

#include <unordered_map>
#include <vector>

#include "native/core/guest.h"
#include "native/core/run_ledger.h"
#include "native/guest/guest_isolate.h"
#include "native/values/value_codec.h"

namespace isobox {

class CallBridge final : public FunctionPort, public BufferSource {
 public:
  // Everything referred to outlives the bridge.
  CallBridge(const RunRequest& request, RunLedger& ledger, GuestOwner& owner,
             GuestIsolate& isolate);

  // A guest function that calls the host function in this slot and returns a promise.
  v8::MaybeLocal<v8::Function> MakeHostFunction(const GuestScope& scope, FunctionSlot slot,
                                                v8::Local<v8::String> name);

  // Settles the promise of a call. Late and unknown replies are dropped.
  void Deliver(const GuestScope& scope, ReplyMessage&& reply);

  // Calls a guest function for the host; the answer is posted by PostSettledInvocations.
  void Invoke(const GuestScope& scope, InvokeMessage&& message);
  void PostSettledInvocations(const GuestScope& scope);

  EncodeResult Encode(v8::Local<v8::Value> value, uint64_t max_bytes, Payload& out);
  // As Encode, for values in which functions have no place, and up to so much of the host's memory.
  EncodeResult EncodeData(v8::Local<v8::Value> value, uint64_t max_cost, Payload& out);
  v8::MaybeLocal<v8::Value> Decode(v8::Local<v8::Context> context, Payload&& payload);

  bool Export(v8::Local<v8::Object> callable, Kind kind, FunctionSlot& slot) override;
  bool ExportsPromises() const override { return false; }
  v8::MaybeLocal<v8::Value> Import(FunctionSlot slot, Kind kind) override;
  std::unique_ptr<v8::BackingStore> Allocate(size_t bytes) override;

 private:
  struct Invocation {
    CallId id = 0;
    v8::Global<v8::Promise> promise;
  };

  CodecLimits ValueLimits() const;
  EncodeResult EncodeThrough(FunctionPort& port, v8::Local<v8::Value> value,
                             const CodecLimits& limits, Payload& out);
  static void OnHostCall(const v8::FunctionCallbackInfo<v8::Value>& info);
  // The promise of a new call; rejected when the call cannot be made.
  v8::MaybeLocal<v8::Promise> StartCall(FunctionSlot slot, Payload payload,
                                        const EncodeResult& encoded);
  v8::Local<v8::Value> SerializationFailure(const GuestScope& scope, const EncodeResult& result);

  const RunRequest& request_;
  RunLedger& ledger_;
  GuestOwner& owner_;
  GuestIsolate& isolate_;
  std::unordered_map<CallId, v8::Global<v8::Promise::Resolver>> pending_;
  std::vector<v8::Global<v8::Function>> exported_;
  std::unordered_multimap<int, FunctionSlot> exported_by_hash_;
  std::unordered_map<FunctionSlot, v8::Global<v8::Function>> imported_;
  std::vector<Invocation> invocations_;
};

}  // namespace isobox
