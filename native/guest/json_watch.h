#pragma once
// Watches JSON.stringify. V8 writes the text outside its heap, where it is not counted, but looks
// for interrupts at every value: a guest can be stopped there, once it is known to write too much.
// What it writes is seen in what the process grows by, and the pages that its thread has touched.
// Worker thread, isolate entered.

#include <cstdint>

#include "native/guest/guest_scope.h"
#include "v8.h"

namespace isobox {

class JsonWatch {
 public:
  struct Arguments {
    v8::Local<v8::Value> value;
    v8::Local<v8::Value> replacer;
    v8::Local<v8::Value> space;
  };

  // A call under way. Only the outermost is watched. Stack only.
  class Call {
   public:
    Call(JsonWatch& watch, const Arguments& arguments);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();

   private:
    friend class JsonWatch;
    JsonWatch& watch_;
    const Arguments arguments_;
  };

  // To be asked again and again while the guest runs. True when more than `bytes` have been taken
  // outside the heap during the call under way, unless its text is known to be shorter than that.
  bool IsWritingMoreThan(const GuestScope& scope, uint64_t bytes);

 private:
  struct Footprint {
    uint64_t resident = 0;  // of the process
    uint64_t heap = 0;      // of the guest
    uint64_t touched = 0;   // by this thread, ever
  };
  static Footprint Measure(v8::Isolate* isolate);
  // What this thread has taken outside the heap.
  static uint64_t Growth(const Footprint& from, const Footprint& to);

  const Call* call_ = nullptr;
  // Of the call, when it was looked at.
  bool was_seen_ = false;
  bool is_known_to_fit_ = false;
  Footprint at_first_;
};

}  // namespace isobox
