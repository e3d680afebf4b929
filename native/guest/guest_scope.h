#pragma once
// Proof that the calling thread has entered a guest's isolate and context. Functions that touch
// guest state take it first. Stack only.

#include "native/core/stop_cause.h"
#include "v8.h"

namespace isobox {

class GuestScope {
 public:
  // V8 may use this much stack below the point of entry; worker threads have far more, for the
  // native frames V8 does not count.
  static constexpr uintptr_t kGuestStackBytes = 1U << 20U;

  // `stop` is that of the run, or null where there is none yet.
  GuestScope(v8::Isolate* isolate, const v8::Global<v8::Context>& context, const StopLatch* stop)
      : stop_(stop),
        isolate_(isolate),
        locker_(isolate),
        isolate_scope_(isolate),
        handle_scope_(isolate),
        context_(context.Get(isolate)),
        context_scope_(context_),
        stack_limit_(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - kGuestStackBytes) {
    isolate->SetStackLimit(stack_limit_);
  }
  GuestScope(const GuestScope&) = delete;
  GuestScope& operator=(const GuestScope&) = delete;
  ~GuestScope() = default;

  v8::Isolate* isolate() const { return isolate_; }
  v8::Local<v8::Context> context() const { return context_; }
  const StopLatch* stop() const { return stop_; }
  // The run has been stopped: nothing of the guest may run any more. Native code that calls into
  // the guest several times asks before each, since V8 forgets a stop once a call has ended for it.
  bool IsStopped() const { return stop_ != nullptr && stop_->tripped(); }
  // Whether there is so much of V8's stack left.
  bool HasStack(size_t bytes) const {
    return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) > stack_limit_ + bytes;
  }

 private:
  const StopLatch* stop_;
  v8::Isolate* isolate_;  // members below enter in this order and leave in reverse
  v8::Locker locker_;
  v8::Isolate::Scope isolate_scope_;
  v8::HandleScope handle_scope_;
  v8::Local<v8::Context> context_;
  v8::Context::Scope context_scope_;
  const uintptr_t stack_limit_;
};

}  // namespace isobox
