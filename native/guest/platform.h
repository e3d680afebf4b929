#pragma once
// The only place that knows Node's platform: how isolates are made beside its own, and what V8 does
// before it ends the process.

#include <cstddef>
#include <cstdint>

#include "v8.h"

namespace isobox::platform {

// Remembers Node's platform and sets the V8 options guests need. Loop thread, any number of times.
void Attach(v8::Isolate* host_isolate);

// Has V8 call this, on the thread that failed, when it is about to end the process. After Attach.
// Where V8 has no such function, a failed check of V8's ends the process.
void BeforeAbort(void (*function)());

// Allocates an isolate beside Node's own, registers it with Node's platform and initializes it. Any
// thread.
v8::Isolate* NewIsolate(const v8::Isolate::CreateParams& params);

// Isolates of ours that exist in this process.
size_t LiveIsolates();

// Disposes of an isolate that no thread has entered, in the order this version needs. Any thread.
void DisposeIsolate(v8::Isolate* isolate);

// While it lives, a context that draws its first random number takes its seed from this one, which
// is not zero. One at a time in a process.
class RandomSeed {
 public:
  explicit RandomSeed(int32_t seed);
  RandomSeed(const RandomSeed&) = delete;
  RandomSeed& operator=(const RandomSeed&) = delete;
  ~RandomSeed();
};

// JSON.stringify writes on V8's heap; from version 12 on outside it.
inline constexpr bool kWritesJsonInHeap = V8_MAJOR_VERSION < 12;

}  // namespace isobox::platform
