#pragma once
// Lists of texts for builtins that copy all of them outside V8's heap.

#include "v8.h"

namespace isobox {

// What the builtin is to be given for a list. It iterates over that as over the list, and ends the
// run where the texts have become more than a guest may hold.
v8::MaybeLocal<v8::Value> GuardList(v8::Local<v8::Context> context, v8::Local<v8::Value> list);

}  // namespace isobox
