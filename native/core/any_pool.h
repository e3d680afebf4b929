#pragma once
// A pool as its host sees it, wherever its guests run.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "native/core/guest.h"
#include "native/core/pool_stats.h"
#include "native/core/run_types.h"

namespace isobox {

class AnyPool {
 public:
  AnyPool() = default;
  AnyPool(const AnyPool&) = delete;
  AnyPool& operator=(const AnyPool&) = delete;
  virtual ~AnyPool() = default;

  // Always leads to exactly one outcome on the channel. With nobody to run it the cause is
  // kExhausted, and the reason how many lost threads are in the way, empty when it is the system
  // that has no room.
  virtual void Start(RunRequest request) = 0;
  // Both are ignored for runs that have ended.
  virtual void Post(RunId id, GuestMessage message) = 0;
  virtual void Stop(RunId id, StopCause cause, std::string reason) = 0;

  // Posts PostWarm(request) once `count` guests are ready, or when nobody is left to make them.
  virtual void Prewarm(uint64_t request, size_t count) = 0;

  virtual PoolStats Stats() = 0;

  // Ends every run and sends home whoever runs them; PostClosed follows. Idempotent.
  virtual void Close() = 0;
  // True when PostClosed has been posted by then: after it the pool posts nothing more.
  virtual bool WaitUntilClosed(std::chrono::milliseconds patience) = 0;
};

}  // namespace isobox
