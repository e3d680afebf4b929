#pragma once
// How far native code may recurse that calls V8 on its way. V8 throws where JavaScript reaches the
// end of the stack it was given, and does not look at our frames; from version 13 on it ends the
// process when it comes to collect garbage beyond that end.

#include <cstdint>

#include "v8.h"

namespace isobox {

// V8 allows itself some ten kilobytes beyond the end; so many of our levels take less.
inline constexpr uint32_t kLevelsPerStackCheck = 16;

// False with a pending RangeError where V8 has no stack left; also when the guest is being
// terminated. To be asked at every so many levels. Isolate's thread.
inline bool HasStackRoom(v8::Local<v8::Context> context) {
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  const v8::HandleScope scope(isolate);
  // Runs a builtin, which no guest can replace: V8 looks at the stack before it does.
  return !v8::Set::New(isolate)->Has(context, v8::Undefined(isolate)).IsNothing();
}

}  // namespace isobox
