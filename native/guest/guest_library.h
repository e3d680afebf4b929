#pragma once
// Code of the host's that guests may use: scripts installed once per process, each compiled from
// its code cache in a guest that asks for what it provides. Worker thread, isolate entered, unless
// it says otherwise.

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "native/core/run_types.h"
#include "native/guest/call_bridge.h"
#include "native/guest/guest_scope.h"

namespace isobox {

// A script whose value is a function; ASCII. V8 compiles the source when there is no cache or it
// refuses it.
struct LibraryPart {
  std::string source;
  std::string code_cache;
};
using LibraryParts = std::map<std::string, LibraryPart, std::less<>>;

class GuestLibrary {
 public:
  // The part that is called first, with the other parts' loader, the host's functions and the
  // plan's settings. It returns a function that gives a global or module by its name and whether it
  // is one.
  static constexpr std::string_view kMainPart = "main";

  // Once per process: later parts are dropped. Any thread.
  static void Install(LibraryParts parts);

  // Everything referred to outlives the library.
  GuestLibrary(const LibraryPlan& plan, CallBridge& bridge) : plan_(plan), bridge_(bridge) {}

  // False with an exception pending.
  bool DefineGlobals(const GuestScope& scope);
  bool HasModule(std::string_view specifier) const;
  enum class Kind : uint8_t { kGlobal, kModule };
  v8::MaybeLocal<v8::Value> Provide(const GuestScope& scope, v8::Local<v8::Value> name, Kind kind);

 private:
  static void OnGlobal(v8::Local<v8::Name> name, const v8::PropertyCallbackInfo<v8::Value>& info);
  static void OnLoad(const v8::FunctionCallbackInfo<v8::Value>& info);

  v8::MaybeLocal<v8::Value> Load(const GuestScope& scope, std::string_view part);
  v8::MaybeLocal<v8::Object> MakeHost(const GuestScope& scope);
  bool Start(const GuestScope& scope);

  const LibraryPlan& plan_;
  CallBridge& bridge_;
  v8::Global<v8::Function> provide_;
};

}  // namespace isobox
