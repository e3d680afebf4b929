#pragma once
// The output pipeline as lib/ calls it: at once, or on a thread of libuv's pool. Loop thread only.

#include <napi.h>

namespace isobox {

// reduceOutput(bytes, settings): the reduced text, or null when the output stays as it is.
Napi::Value ReduceOutputNow(const Napi::CallbackInfo& info);
// reduceOutputLater(bytes, settings): a promise of the same; the bytes must not change meanwhile.
Napi::Value ReduceOutputLater(const Napi::CallbackInfo& info);

// selectJson(bytes, pointer): a promise of the part's text, or of null when there is none.
Napi::Value SelectJsonLater(const Napi::CallbackInfo& info);

}  // namespace isobox
