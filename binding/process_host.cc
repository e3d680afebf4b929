#include "binding/process_host.h"

#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/prctl.h>

#include "native/guest/isolate_guest.h"
#include "native/process/frame_server.h"
#include "native/process/lock_down.h"
#include "native/process/process_pool.h"
#include "native/process/shared_segment.h"
#include "native/process/spawn.h"
#include "native/process/zygote.h"
#endif

namespace isobox::process_host {

#ifdef __linux__

namespace {

std::vector<std::string> Texts(const Napi::Value& list) {
  std::vector<std::string> texts;
  const auto array = list.As<Napi::Array>();
  for (uint32_t i = 0; i < array.Length(); ++i)
    texts.push_back(array.Get(i).As<Napi::String>().Utf8Value());
  return texts;
}

Napi::Array ToJs(Napi::Env env, const std::vector<std::string>& names) {
  auto list = Napi::Array::New(env, names.size());
  for (uint32_t i = 0; i < names.size(); ++i)
    list.Set(i, names[i]);
  return list;
}

}  // namespace

Napi::Value Sandboxes(Napi::Env env) { return ToJs(env, lock_down::Available()); }

Napi::Value LockDown(const Napi::CallbackInfo& info) {
  return ToJs(info.Env(), lock_down::Apply(kWakeDescriptor));
}

std::shared_ptr<AnyPool> MakePool(PoolOptions options, Napi::Object process,
                                  const std::shared_ptr<LoopChannel>& channel) {
  ProcessCommand command{.program = process.Get("program").As<Napi::String>().Utf8Value(),
                         .arguments = Texts(process.Get("arguments")),
                         .environment = Texts(process.Get("environment"))};
  ProcessPoolOptions all{.pool = options,
                         .processes = process.Get("count").As<Napi::Number>().Uint32Value()};
  const Napi::Value runs = process.Get("runsPerProcess");
  if (runs.IsNumber()) all.runs_per_process = runs.As<Napi::Number>().Uint32Value();
  auto launcher = process.Get("isZygote").ToBoolean() ? ZygoteLauncher(std::move(command))
                                                      : SpawnLauncher(std::move(command));
  auto pool = std::make_shared<ProcessPool>(all, std::move(launcher), channel);
  if (!pool->HasDescriptors()) return nullptr;
  channel->Follow(pool);
  return pool;
}

void BeginLife(int host) {
  // Before it is asked who the host is: if that one is gone by now, nobody would say so later.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != host) _exit(0);
  if (chdir("/") != 0) _exit(1);  // it is always there, and says nothing of the host
}

void ServeFrames(int segment, int wake, const std::string& sandbox, const GuestFactory& factory) {
  auto shared = SharedSegment::Adopt(segment);
  if (!shared) _exit(1);
  FrameServer server(std::move(*shared), Descriptor(wake));
  server.Serve(factory, [&sandbox, wake] {
    if (sandbox == "off") return std::vector<std::string>();
    auto locks = lock_down::Apply(wake);
    // No guest runs here then; the host sees the process end.
    if (sandbox == "require" && locks.size() < lock_down::kAll) _exit(1);
    return locks;
  });
  _exit(1);
}

void ServeGuests(const Napi::CallbackInfo& info) {
  BeginLife(info[0].As<Napi::Number>().Int32Value());
  ServeFrames(kSegmentDescriptor, kWakeDescriptor, info[1].As<Napi::String>().Utf8Value(),
              [](Readiness readiness) { return std::make_unique<IsolateGuest>(readiness); });
}

#else

Napi::Value Sandboxes(Napi::Env env) { return env.Null(); }

Napi::Value LockDown(const Napi::CallbackInfo& info) { return Napi::Array::New(info.Env()); }

std::shared_ptr<AnyPool> MakePool(PoolOptions /*options*/, Napi::Object /*process*/,
                                  const std::shared_ptr<LoopChannel>& /*channel*/) {
  return nullptr;  // lib/ asks Sandboxes first
}

void ServeGuests(const Napi::CallbackInfo& /*info*/) { _exit(1); }

#endif

}  // namespace isobox::process_host
