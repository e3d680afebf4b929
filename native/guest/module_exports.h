#pragma once
// What a module exports that is not code: made by the host, of JSON or of the guest library. Worker
// thread, isolate entered.

#include <string>
#include <string_view>
#include <vector>

#include "native/core/run_types.h"
#include "native/guest/call_bridge.h"
#include "native/guest/guest_library.h"
#include "native/guest/guest_scope.h"

namespace isobox {

struct ModuleExports {
  std::vector<v8::Global<v8::String>> names;
  std::vector<v8::Global<v8::Value>> values;

  // Each is false when there is no room, the guest was stopped, or an exception is pending.
  bool Add(const GuestScope& scope, std::string_view name, v8::Local<v8::Value> value);
  bool AddJson(const GuestScope& scope, const std::string& source);
  bool AddHost(const GuestScope& scope, const SyntheticModulePlan& plan, CallBridge& bridge);
  bool AddLibrary(const GuestScope& scope, v8::Local<v8::String> specifier, GuestLibrary& library);
};

}  // namespace isobox
