#pragma once
// What lib/ hands over, as plain structs; lib/ has validated it. Loop thread only.

#include <napi.h>

#include <optional>

#include "binding/host_values.h"
#include "native/core/pool.h"
#include "native/core/run_types.h"
#include "native/guest/guest_library.h"
#include "native/output/output_pipeline.h"

namespace isobox::from_js {

LibraryParts ToLibraryParts(Napi::Array list);

PoolOptions ToPoolOptions(Napi::Object object);

// The arguments of NativePool's `start`, in types/internal/native.d.ts. Empty with a pending
// exception when a value in the request cannot cross.
std::optional<RunRequest> ToRunRequest(const Napi::CallbackInfo& info, HostFunctionPort& port);

HostError ToHostError(Napi::Object object);

OutputSettings ToOutputSettings(Napi::Object object);

}  // namespace isobox::from_js
