#pragma once
// Strings between V8 and C++. The calling thread has entered the isolate.

#include <string>
#include <string_view>

#include "v8.h"

namespace isobox {

// Empty only when V8 cannot hold the string.
v8::MaybeLocal<v8::String> ToV8(v8::Isolate* isolate, std::string_view utf8);

// For short names fixed at build time.
v8::Local<v8::String> Intern(v8::Isolate* isolate, std::string_view ascii);

// Lone surrogates become U+FFFD.
std::string ToUtf8(v8::Isolate* isolate, v8::Local<v8::String> string);

// At most about `max_bytes` of it, cut between characters.
std::string ToUtf8Clipped(v8::Isolate* isolate, v8::Local<v8::String> string, size_t max_bytes);

}  // namespace isobox
