#pragma once
// Guests in processes of their own: the host's pool of them, and what such a process runs. Loop
// thread only.

#include <napi.h>

#include <memory>
#include <string>

#include "binding/loop_channel.h"
#include "native/core/any_pool.h"
#include "native/core/guest.h"
#include "native/core/pool.h"

namespace isobox::process_host {

// What this system can keep a guest process from, by name; null where there are no guest processes.
Napi::Value Sandboxes(Napi::Env env);

// `process` is { program, arguments, environment, count, runsPerProcess? }. The channel follows the
// pool. Null when this process has no descriptor left.
std::shared_ptr<AnyPool> MakePool(PoolOptions options, Napi::Object process,
                                  const std::shared_ptr<LoopChannel>& channel);

// What every process of a host does first: ends when the host does.
void BeginLife(int host);

// Serves the host's frames with guests that the factory makes. Never returns.
void ServeFrames(int segment, int wake, const std::string& sandbox, const GuestFactory& factory);

// serveGuests(host, sandbox): turns this process into a guest process of the host with that process
// id. Never returns.
void ServeGuests(const Napi::CallbackInfo& info);

// lockDown(): locks this process in as a guest process is, and says how.
Napi::Value LockDown(const Napi::CallbackInfo& info);

}  // namespace isobox::process_host
