#pragma once
// What JSON.parse and JSON.stringify would cost, found out before they run and without running any
// code of the guest: V8 does both outside its heap, where nobody counts. Isolate's thread.

#include <cstdint>

#include "native/guest/guest_scope.h"
#include "v8.h"

namespace isobox::json_cost {

// No shorter text can cost what the smallest memory limit allows.
inline constexpr int kCheapTextLength = 128 << 10;

// Whether V8 reads this text within so many bytes outside its heap, and has room for the value in
// as many on it. The text is flat.
bool ParseFits(v8::Isolate* isolate, v8::Local<v8::String> text, uint64_t bytes);

enum class Layout : uint8_t { kCompact, kIndented };

// Whether the value's text is known to have no more than so many bytes. What is dear to find out,
// or up to the guest's own code (getters, proxies, toJSON), is not known.
bool TextFits(const GuestScope& scope, v8::Local<v8::Value> value, Layout layout, uint64_t bytes);

}  // namespace isobox::json_cost
