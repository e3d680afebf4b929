#pragma once
// The one way to catch what guest code throws. A stop ends the call into the guest that it meets,
// and V8 takes it for heard: the next call would run on for ever. So a stop that was caught is
// raised again when the catch ends, and inside one it is asked for before the guest is entered
// again. Stack only.

#include "native/core/stop_cause.h"
#include "v8.h"

namespace isobox {

class StopCatch {
 public:
  // Hosts have no latch: they are terminated by others.
  StopCatch(v8::Isolate* isolate, const StopLatch* stop)
      : isolate_(isolate), stop_(stop), caught_(isolate) {}
  StopCatch(const StopCatch&) = delete;
  StopCatch& operator=(const StopCatch&) = delete;
  ~StopCatch() {
    if (IsStopped()) isolate_->TerminateExecution();
  }

  // Nothing of the guest may run any more.
  bool IsStopped() const {
    return caught_.HasTerminated() || (stop_ != nullptr && stop_->tripped());
  }
  // The guest threw something of its own.
  bool HasThrown() const { return caught_.HasCaught() && !IsStopped(); }
  v8::Local<v8::Value> Exception() const { return caught_.Exception(); }
  v8::Local<v8::Message> Message() const { return caught_.Message(); }

 private:
  v8::Isolate* isolate_;
  const StopLatch* stop_;
  v8::TryCatch caught_;
};

}  // namespace isobox
