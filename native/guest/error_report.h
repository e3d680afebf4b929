#pragma once
// Turns what a guest threw into plain data. Worker thread, isolate entered; getters of the thrown
// value run here, in the guest, under its limits.

#include "native/core/run_types.h"
#include "native/guest/guest_scope.h"

namespace isobox {

// Scripts with names that start like this are ours; their frames are not shown. lib/ refuses such
// names from callers.
inline constexpr std::string_view kInternalScriptPrefix = "isobox-internal:";

// `message` may be empty; then positions come from the error itself.
ErrorReport DescribeError(const GuestScope& scope, v8::Local<v8::Value> thrown,
                          v8::Local<v8::Message> message);

}  // namespace isobox
