#pragma once
// What guests send becomes garbage of the host's as soon as it has been dealt with. V8 would let it
// grow far beyond what the guests may use themselves; this has it collect in time. Loop thread
// only.

#include <cstdint>

#include "v8.h"

namespace isobox {

// So many bytes of the host's memory were taken for a value.
void NoteRebuilt(v8::Isolate* isolate, uint64_t bytes);

// Has V8 collect young garbage if much memory outside its heap may hang on it. V8 asks itself that
// only when it allocates such memory, which strings and buffers of ours do not make it do.
void CollectYoungIfDue(v8::Isolate* isolate);

}  // namespace isobox
