#pragma once
// The guest's console: what it logs goes to the ledger, formatted in the guest, bounded as it runs.
// Worker thread, isolate entered.

#include "native/core/run_ledger.h"
#include "native/guest/call_bridge.h"
#include "native/guest/guest_scope.h"

namespace isobox {

class GuestConsole {
 public:
  GuestConsole(ConsoleMode mode, RunLedger& ledger, CallBridge& bridge)
      : mode_(mode), ledger_(ledger), bridge_(bridge) {}

  // Gives `console`, the engine's own object, methods that log here. Its other methods do nothing.
  static void Install(const GuestScope& scope, v8::Local<v8::Object> console);

 private:
  static void InstallMethod(const GuestScope& scope, v8::Local<v8::Object> console,
                            std::string_view name, v8::FunctionCallback callback, LogLevel level);
  static void OnLog(const v8::FunctionCallbackInfo<v8::Value>& info);
  // Logs its arguments, the false condition among them, when the condition is false.
  static void OnAssert(const v8::FunctionCallbackInfo<v8::Value>& info);
  void LogLine(const GuestScope& scope, LogLevel level,
               const v8::FunctionCallbackInfo<v8::Value>& info);
  void LogArguments(const GuestScope& scope, LogLevel level,
                    const v8::FunctionCallbackInfo<v8::Value>& info);

  const ConsoleMode mode_;
  RunLedger& ledger_;
  CallBridge& bridge_;
};

}  // namespace isobox
