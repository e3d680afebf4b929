#include "native/guest/guest_console.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "native/guest/guest_catch.h"
#include "native/values/text.h"

namespace isobox {
namespace {

// Those that show something. V8's own do nothing, and are left for the rest: timers, counters,
// groupEnd.
constexpr std::array<std::pair<std::string_view, LogLevel>, 11> kMethods = {{
    {"log", LogLevel::kLog},
    {"info", LogLevel::kInfo},
    {"warn", LogLevel::kWarn},
    {"error", LogLevel::kError},
    {"debug", LogLevel::kDebug},
    {"dir", LogLevel::kLog},
    {"dirxml", LogLevel::kLog},
    {"table", LogLevel::kLog},
    {"group", LogLevel::kLog},
    {"groupCollapsed", LogLevel::kLog},
    {"trace", LogLevel::kDebug},
}};

// Of an argument that crosses as text.
constexpr size_t kMaxFallbackBytes = 16U << 10U;

// Strings as they are, other values as JSON where there is JSON for them, errors and the rest as
// strings. Empty when the guest's own code threw while formatting.
v8::MaybeLocal<v8::String> Format(const GuestScope& scope, v8::Local<v8::Value> value) {
  const v8::Local<v8::Context> context = scope.context();
  if (value->IsString()) return value.As<v8::String>();
  if (value->IsObject() && !value->IsFunction() && !value->IsNativeError()) {
    const GuestCatch failure(scope);
    v8::Local<v8::String> json;
    const v8::Local<v8::Value> none = v8::Undefined(scope.isolate());
    const JsonWatch::Call call(GuestIsolate::Current()->json(), {value, none, none});
    if (v8::JSON::Stringify(context, value).ToLocal(&json)) return json;
    if (failure.IsStopped()) return {};
  }
  if (value->IsSymbol()) return value->ToDetailString(context);
  return value->ToString(context);
}

}  // namespace

void GuestConsole::Install(const GuestScope& scope, v8::Local<v8::Object> console) {
  for (const auto& [name, level] : kMethods) {
    InstallMethod(scope, console, name, OnLog, level);
  }
  InstallMethod(scope, console, "assert", OnAssert, LogLevel::kError);
}

void GuestConsole::InstallMethod(const GuestScope& scope, v8::Local<v8::Object> console,
                                 std::string_view name, v8::FunctionCallback callback,
                                 LogLevel level) {
  v8::Isolate* const isolate = scope.isolate();
  v8::Local<v8::Function> method;
  if (!v8::Function::New(scope.context(), callback,
                         v8::Integer::New(isolate, static_cast<int>(level)), 0,
                         v8::ConstructorBehavior::kThrow)
           .ToLocal(&method)) {
    return;
  }
  const auto key = Intern(isolate, name);
  method->SetName(key);
  console->CreateDataProperty(scope.context(), key, method).FromMaybe(false);
}

void GuestConsole::OnAssert(const v8::FunctionCallbackInfo<v8::Value>& info) {
  if (!info[0]->BooleanValue(info.GetIsolate())) OnLog(info);
}

void GuestConsole::OnLog(const v8::FunctionCallbackInfo<v8::Value>& info) {
  const auto& parts = GuestIsolate::Current()->parts();
  GuestConsole& console = *parts.console;
  if (!console.ledger_.WantsLogs()) return;
  const auto level = static_cast<LogLevel>(info.Data().As<v8::Int32>()->Value());
  // Logging never throws into the guest, whatever its arguments do.
  const GuestCatch failure(*parts.scope);
  if (console.mode_ == ConsoleMode::kLines) {
    console.LogLine(*parts.scope, level, info);
  } else {
    console.LogArguments(*parts.scope, level, info);
  }
}

void GuestConsole::LogLine(const GuestScope& scope, LogLevel level,
                           const v8::FunctionCallbackInfo<v8::Value>& info) {
  // A character takes at most three bytes, so what is cut here would not fit anyway.
  const uint64_t room = ledger_.LogCharsLeft();
  const size_t max_bytes = room < (1U << 30U) ? room * 3 + 3 : SIZE_MAX;
  std::string line;
  for (int i = 0; i < info.Length(); ++i) {
    if (scope.IsStopped()) return;
    if (i > 0) line += ' ';
    v8::Local<v8::String> text;
    if (Format(scope, info[i]).ToLocal(&text)) {
      line += ToUtf8Clipped(scope.isolate(), text, max_bytes);
    } else {
      line += "[unprintable]";
    }
    if (line.size() > max_bytes) break;
  }
  ledger_.LogLine(level, line);
}

void GuestConsole::LogArguments(const GuestScope& scope, LogLevel level,
                                const v8::FunctionCallbackInfo<v8::Value>& info) {
  std::vector<Payload> arguments(static_cast<size_t>(info.Length()));
  uint64_t room = ledger_.LogCharsLeft();
  for (int i = 0; i < info.Length(); ++i) {
    if (scope.IsStopped()) return;
    Payload& out = arguments[static_cast<size_t>(i)];
    if (!bridge_.EncodeData(info[i], room, out).ok()) {
      if (scope.IsStopped()) return;
      // What cannot cross as a value crosses as its text; one argument never costs the others.
      std::string text = "[unprintable]";
      v8::Local<v8::String> formatted;
      if (Format(scope, info[i]).ToLocal(&formatted)) {
        text = ToUtf8Clipped(scope.isolate(), formatted, kMaxFallbackBytes);
      }
      out = {};
      v8::Local<v8::String> clipped;
      if (!ToV8(scope.isolate(), text).ToLocal(&clipped) ||
          !bridge_.EncodeData(clipped, room, out).ok()) {
        ledger_.MarkLogsTruncated();
        return;
      }
    }
    room -= std::min(room, out.cost.bytes);
  }
  ledger_.LogArguments(level, std::move(arguments));
}

}  // namespace isobox
