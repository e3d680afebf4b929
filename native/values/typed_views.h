#pragma once
// Typed arrays and DataViews by the names that they cross under. Isolate's thread.

#include <optional>

#include "native/values/wire.h"
#include "v8.h"

namespace isobox::typed_views {

// Empty for kinds that do not cross.
std::optional<wire::ViewType> TypeOf(v8::Local<v8::ArrayBufferView> view);

// A view of the whole buffer. Empty for kinds that this V8 does not have.
v8::MaybeLocal<v8::Object> New(wire::ViewType type, v8::Local<v8::ArrayBuffer> buffer);

}  // namespace isobox::typed_views
