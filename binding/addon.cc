#include "binding/addon.h"

#include <node.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>

#include "binding/from_js.h"
#include "binding/host_values.h"
#include "binding/line_reader.h"
#include "binding/output_reducer.h"
#include "binding/pool_object.h"
#include "binding/process_host.h"
#include "binding/to_js.h"
#include "binding/zygote_process.h"
#include "native/core/descriptor_seal.h"
#include "native/guest/guest_isolate.h"
#include "native/guest/icu_memory.h"
#include "native/guest/platform.h"

namespace isobox {
namespace {

// Guests that can be stopped come back within microseconds; this is for machines under load.
constexpr std::chrono::milliseconds kExitPatience{500};

std::atomic<int> exit_code{0};
std::atomic<bool> main_thread_watches{false};

// V8 and Node check at exit that no isolate is left; a thread that never comes back, or not in
// time, would turn the exit into a crash or a hang. Then the process leaves without those checks.
void LeaveIfIsolatesAreLeft(void* /*unused*/) {
  if (platform::LiveIsolates() == 0) return;
  std::fflush(nullptr);
  _exit(exit_code);
}

// watchExit(isMainThread): prepareExit will be called where this environment ends. Says whether it
// will be in the main thread.
Napi::Value WatchExit(const Napi::CallbackInfo& info) {
  if (info[0].As<Napi::Boolean>().Value()) main_thread_watches = true;
  return Napi::Boolean::New(info.Env(), main_thread_watches);
}

// prepareExit(code, isMainThread): the process or Worker is about to end; nothing of ours may run
// while it does. Only now is the hook set: Node also runs its hooks before a process signals
// itself, which need not be the end.
void PrepareExit(const Napi::CallbackInfo& info) {
  exit_code = info[0].As<Napi::Number>().Int32Value();
  AddonData::From(info.Env()).CloseAll();
  if (!info[1].As<Napi::Boolean>().Value()) return;
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  node::AtExit(node::GetCurrentEnvironment(isolate->GetCurrentContext()), LeaveIfIsolatesAreLeft,
               nullptr);
}

// whyNotClonable(value, slots): null, or why the value cannot cross under the clone profile. Throws
// what its getters throw.
Napi::Value WhyNotClonable(const Napi::CallbackInfo& info) {
  HostFunctionPort port(info.Env(), kNoRun, info[1].As<Napi::Object>(), {});
  Payload unused;
  const EncodeResult result = Encode(info[0], {.profile = ValueProfile::kClone}, port, unused);
  if (result.ok() || result.status == EncodeStatus::kThrew) return info.Env().Null();
  return Napi::String::New(info.Env(), result.message);
}

// installLibrary(parts): what guests may be given from now on.
void InstallLibrary(const Napi::CallbackInfo& info) {
  GuestLibrary::Install(from_js::ToLibraryParts(info[0].As<Napi::Array>()));
}

// withoutInheritance(act): processes that `act` starts inherit no descriptor of this one.
Napi::Value WithoutInheritance(const Napi::CallbackInfo& info) {
  const DescriptorSeal seal;
  return info[0].As<Napi::Function>().Call({});
}

// Empty in a Worker that is being terminated, which can read no property.
Napi::Value Property(const Napi::Value& object, const char* key) {
  return object.IsEmpty() ? object : object.As<Napi::Object>().Get(key);
}

void CountIcuMemory(const Napi::Value& process) {
  static std::once_flag once;
  const Napi::Value icu = Property(Property(process, "versions"), "icu");
  if (icu.IsEmpty() || !icu.IsString()) return;
  std::call_once(once, icu_memory::Count, icu.As<Napi::String>().Utf8Value());
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  platform::Attach(v8::Isolate::GetCurrent());
  platform::BeforeAbort(GuestIsolate::LoseThreadOfGuest);
  const Napi::Value process = env.Global().Get("process");
  CountIcuMemory(process);
  env.SetInstanceData(new AddonData());
  env.AddCleanupHook([env] { AddonData::From(env).CloseAll(); });
  exports.Set("NativePool", PoolObject::Define(env));
  exports.Set("LineReader", LineReader::Define(env));
  exports.Set("reduceOutput", Napi::Function::New<ReduceOutputNow>(env, "reduceOutput"));
  exports.Set("reduceOutputLater",
              Napi::Function::New<ReduceOutputLater>(env, "reduceOutputLater"));
  exports.Set("selectJson", Napi::Function::New<SelectJsonLater>(env, "selectJson"));
  exports.Set("stopCauses", to_js::StopCauseNames(env));
  exports.Set("installLibrary", Napi::Function::New<InstallLibrary>(env, "installLibrary"));
  exports.Set("watchExit", Napi::Function::New<WatchExit>(env, "watchExit"));
  exports.Set("prepareExit", Napi::Function::New<PrepareExit>(env, "prepareExit"));
  exports.Set("whyNotClonable", Napi::Function::New<WhyNotClonable>(env, "whyNotClonable"));
  exports.Set("withoutInheritance",
              Napi::Function::New<WithoutInheritance>(env, "withoutInheritance"));
  exports.Set("sandboxes", process_host::Sandboxes(env));
  exports.Set("lockDown", Napi::Function::New<process_host::LockDown>(env, "lockDown"));
  exports.Set("serveZygote", Napi::Function::New<zygote_process::Serve>(env, "serveZygote"));
  exports.Set("serveGuests", Napi::Function::New<process_host::ServeGuests>(env, "serveGuests"));
  // The process object of this environment, even where a test runner shows its modules another one.
  exports.Set("hostProcess", process);
  return exports;
}

}  // namespace

void AddonData::CloseAll() {
  for (PoolObject* const pool : pools_)
    pool->CloseNow(kExitPatience);
  for (const auto& pool : leaving_)
    pool->WaitUntilClosed(kExitPatience);
}

void AddonData::Remove(PoolObject* object, std::shared_ptr<AnyPool> pool) {
  pools_.erase(object);
  std::erase_if(leaving_, [](const auto& one) { return one->WaitUntilClosed({}); });
  leaving_.push_back(std::move(pool));
}

NODE_API_MODULE(isobox, Init)

}  // namespace isobox
