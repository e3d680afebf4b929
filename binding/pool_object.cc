#include "binding/pool_object.h"

#include <utility>

#include "binding/addon.h"
#include "binding/from_js.h"
#include "binding/process_host.h"
#include "binding/to_js.h"
#include "native/core/pool.h"
#include "native/guest/isolate_guest.h"

namespace isobox {
namespace {

uint64_t Id(const Napi::Value& value) {
  return static_cast<uint64_t>(value.As<Napi::Number>().Int64Value());
}

// Null when the value was encoded; else the sentence that says why not.
Napi::Value Verdict(Napi::Env env, const EncodeResult& result) {
  if (result.ok()) return env.Null();
  return Napi::String::New(env, result.message);
}

}  // namespace

Napi::Function PoolObject::Define(Napi::Env env) {
  return DefineClass(env, "NativePool",
                     {
                         InstanceMethod<&PoolObject::Start>("start"),
                         InstanceMethod<&PoolObject::Reply>("reply"),
                         InstanceMethod<&PoolObject::ReplyError>("replyError"),
                         InstanceMethod<&PoolObject::Invoke>("invoke"),
                         InstanceMethod<&PoolObject::Stop>("stop"),
                         InstanceMethod<&PoolObject::Prewarm>("prewarm"),
                         InstanceMethod<&PoolObject::Stats>("stats"),
                         InstanceMethod<&PoolObject::Close>("close"),
                     });
}

PoolObject::PoolObject(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<PoolObject>(info), channel_(std::make_shared<LoopChannel>(info.Env())) {
  channel_->Open(info[1].As<Napi::Object>());
  const auto given = info[0].As<Napi::Object>();
  const PoolOptions options = from_js::ToPoolOptions(given);
  const Napi::Value process = given.Get("process");
  if (process.IsObject()) {
    pool_ = process_host::MakePool(options, process.As<Napi::Object>(), channel_);
    if (!pool_) {
      channel_->Shut();
      Napi::Error::New(
          info.Env(),
          "A pool of processes needs file descriptors, and this process has none left: "
          "close some, or raise the limit (ulimit -n)")
          .ThrowAsJavaScriptException();
      return;
    }
  } else {
    pool_ = Pool::Create(
        options, [](Readiness readiness) { return std::make_unique<IsolateGuest>(readiness); },
        channel_);
  }
  AddonData::From(info.Env()).Add(this);
}

PoolObject::~PoolObject() {
  if (!pool_) return;  // it could not be made
  channel_->Shut();
  pool_->Close();
  AddonData::From(Env()).Remove(this, std::move(pool_));
}

void PoolObject::CloseNow(std::chrono::milliseconds patience) {
  // First the channel: Node runs the loop once more while it tears down, when JS cannot be called.
  channel_->Shut();
  pool_->Close();
  pool_->WaitUntilClosed(patience);
}

Napi::Value PoolObject::Start(const Napi::CallbackInfo& info) {
  if (!channel_->IsOpen()) return info.Env().Undefined();
  HostFunctionPort port(info.Env(), kNoRun, info[5].As<Napi::Object>(),
                        channel_->MakeProxyFunction());
  auto request = from_js::ToRunRequest(info, port);
  if (!request) return info.Env().Undefined();
  channel_->TrackRun(request->id, RulesOf(*request));
  pool_->Start(*std::move(request));
  return info.Env().Undefined();
}

Napi::Value PoolObject::Reply(const Napi::CallbackInfo& info) {
  if (!channel_->IsOpen()) return info.Env().Null();
  const RunId run = Id(info[0]);
  HostFunctionPort port(info.Env(), run, info[3].As<Napi::Object>(), channel_->MakeProxyFunction());
  ReplyMessage reply;
  reply.call = Id(info[1]);
  reply.ok = true;
  const EncodeResult encoded = Encode(info[2], channel_->RulesOf(run), port, reply.value);
  if (encoded.ok()) {
    pool_->Post(run, std::move(reply));
    channel_->NoteReply();
  }
  return Verdict(info.Env(), encoded);
}

void PoolObject::ReplyError(const Napi::CallbackInfo& info) {
  ReplyMessage reply;
  reply.call = Id(info[1]);
  reply.error = from_js::ToHostError(info[2].As<Napi::Object>());
  pool_->Post(Id(info[0]), std::move(reply));
  channel_->NoteReply();
}

Napi::Value PoolObject::Invoke(const Napi::CallbackInfo& info) {
  if (!channel_->IsOpen()) return info.Env().Null();
  const RunId run = Id(info[0]);
  HostFunctionPort port(info.Env(), run, info[4].As<Napi::Object>(), channel_->MakeProxyFunction());
  InvokeMessage message;
  message.slot = static_cast<FunctionSlot>(Id(info[1]));
  message.invocation = Id(info[2]);
  const EncodeResult encoded = Encode(info[3], channel_->RulesOf(run), port, message.arguments);
  if (encoded.ok()) pool_->Post(run, std::move(message));
  return Verdict(info.Env(), encoded);
}

void PoolObject::Stop(const Napi::CallbackInfo& info) {
  pool_->Stop(Id(info[0]), StopCause::kTerminated, info[1].As<Napi::String>().Utf8Value());
}

void PoolObject::Prewarm(const Napi::CallbackInfo& info) {
  if (!channel_->IsOpen()) return;
  channel_->Expect();
  pool_->Prewarm(Id(info[0]), static_cast<size_t>(Id(info[1])));
}

Napi::Value PoolObject::Stats(const Napi::CallbackInfo& info) {
  return to_js::FromStats(info.Env(), pool_->Stats());
}

void PoolObject::Close(const Napi::CallbackInfo& /*info*/) {
  if (!channel_->IsOpen()) return;
  channel_->Expect();
  pool_->Close();
}

}  // namespace isobox
