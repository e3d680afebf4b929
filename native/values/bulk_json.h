#pragma once
// A quicker way through large values: V8's serializer walks them, several times as fast as its API
// can be asked for one property after the other, and what it writes becomes JSON text here.

#include "native/values/encode_support.h"
#include "native/values/json_pieces.h"
#include "native/values/json_text.h"

namespace isobox {

enum class BulkResult : uint8_t {
  kWritten,
  kNotThisWay,  // refused, thrown or too much for it: nothing was written, the API will tell
  kStopped,     // the run is being terminated
};

// The value must be no proxy. Its accessors are read; after kNotThisWay they are read again.
BulkResult WriteInBulk(v8::Local<v8::Object> value, EncodeState& state, JsonText& text,
                       JsonPieces& pieces);

}  // namespace isobox
