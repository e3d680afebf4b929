#pragma once
// Proof that the calling thread has entered a guest's isolate and context. Functions that touch
// guest state take it first. Stack only.

#include "v8.h"

namespace isobox {

class GuestScope {
 public:
  // V8 may use this much stack below the point of entry; worker threads have far more, for the
  // native frames V8 does not count.
  static constexpr uintptr_t kGuestStackBytes = 1U << 20U;

  GuestScope(v8::Isolate* isolate, const v8::Global<v8::Context>& context)
      : isolate_(isolate),
        locker_(isolate),
        isolate_scope_(isolate),
        handle_scope_(isolate),
        context_(context.Get(isolate)),
        context_scope_(context_) {
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    isolate->SetStackLimit(here - kGuestStackBytes);
  }
  GuestScope(const GuestScope&) = delete;
  GuestScope& operator=(const GuestScope&) = delete;
  ~GuestScope() = default;

  v8::Isolate* isolate() const { return isolate_; }
  v8::Local<v8::Context> context() const { return context_; }

 private:
  v8::Isolate* isolate_;  // members below enter in this order and leave in reverse
  v8::Locker locker_;
  v8::Isolate::Scope isolate_scope_;
  v8::HandleScope handle_scope_;
  v8::Local<v8::Context> context_;
  v8::Context::Scope context_scope_;
};

}  // namespace isobox
