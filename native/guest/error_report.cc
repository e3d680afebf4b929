#include "native/guest/error_report.h"

#include <string_view>

#include "native/guest/error_marks.h"
#include "native/guest/guest_catch.h"
#include "native/values/text.h"

namespace isobox {
namespace {

// Longer texts are cut: a report is for people, and a guest must not flood its host with one.
constexpr size_t kMaxTextBytes = 64U << 10U;

std::string TextOf(const GuestScope& scope, v8::Local<v8::Value> value) {
  v8::Local<v8::String> text;
  if (!value->ToString(scope.context()).ToLocal(&text)) return {};
  return ToUtf8Clipped(scope.isolate(), text, kMaxTextBytes);
}

// The property as text when it is a string; guests may have made it anything.
std::string StringProperty(const GuestScope& scope, v8::Local<v8::Object> object,
                           std::string_view key) {
  v8::Local<v8::Value> value;
  if (!object->Get(scope.context(), Intern(scope.isolate(), key)).ToLocal(&value)) return {};
  return value->IsString() ? TextOf(scope, value) : std::string();
}

// The first keys of an object that has no message, so that its author knows which one was thrown.
std::string KeysOf(const GuestScope& scope, v8::Local<v8::Object> object) {
  constexpr uint32_t kMaxKeys = 10;
  constexpr size_t kMaxKeyBytes = 64;
  v8::Local<v8::Array> keys;
  if (scope.IsStopped() || object->IsProxy() ||
      !object
           ->GetOwnPropertyNames(
               scope.context(),
               static_cast<v8::PropertyFilter>(v8::ONLY_ENUMERABLE | v8::SKIP_SYMBOLS),
               v8::KeyConversionMode::kConvertToString)
           .ToLocal(&keys) ||
      keys->Length() == 0) {
    return {};
  }
  std::string text = " with the keys";
  for (uint32_t i = 0; i < keys->Length() && i < kMaxKeys; ++i) {
    v8::Local<v8::Value> key;
    if (!keys->Get(scope.context(), i).ToLocal(&key) || !key->IsString()) return {};
    text += i == 0 ? " " : ", ";
    text += ToUtf8Clipped(scope.isolate(), key.As<v8::String>(), kMaxKeyBytes);
  }
  return keys->Length() > kMaxKeys ? text + ", ..." : text;
}

bool IsInternal(std::string_view script) {
  return script.substr(0, kInternalScriptPrefix.size()) == kInternalScriptPrefix;
}

void ReadFrames(const GuestScope& scope, v8::Local<v8::StackTrace> trace, ErrorReport& report) {
  v8::Isolate* const isolate = scope.isolate();
  for (int i = 0; i < trace->GetFrameCount(); ++i) {
    const v8::Local<v8::StackFrame> frame = trace->GetFrame(isolate, static_cast<uint32_t>(i));
    StackFrame out;
    const v8::Local<v8::String> script = frame->GetScriptName();
    if (script.IsEmpty()) continue;
    out.filename = ToUtf8(isolate, script);
    if (IsInternal(out.filename)) continue;
    const v8::Local<v8::String> function = frame->GetFunctionName();
    if (!function.IsEmpty()) out.function = ToUtf8Clipped(isolate, function, kMaxTextBytes);
    out.line = frame->GetLineNumber();
    out.column = frame->GetColumn();
    report.frames.push_back(std::move(out));
  }
}

void ReadPosition(const GuestScope& scope, v8::Local<v8::Message> message, ErrorReport& report) {
  const v8::Local<v8::Value> script = message->GetScriptResourceName();
  if (!script->IsString()) return;
  const std::string filename = ToUtf8(scope.isolate(), script.As<v8::String>());
  if (IsInternal(filename)) return;
  report.filename = filename;
  report.line = message->GetLineNumber(scope.context()).FromMaybe(0);
  report.column = message->GetStartColumn(scope.context()).FromMaybe(-1) + 1;
}

}  // namespace

ErrorReport DescribeError(const GuestScope& scope, v8::Local<v8::Value> thrown,
                          v8::Local<v8::Message> message) {
  v8::Isolate* const isolate = scope.isolate();
  const GuestCatch hostile(scope);
  ErrorReport report;
  report.name = "Error";
  report.is_object = thrown->IsObject();
  const auto mark = error_marks::Find(scope, thrown);
  if (mark) {
    report.is_host_error = mark->cause == StopCause::kGuestError;
    report.name = mark->error.name.empty() ? "Error" : mark->error.name;
    report.message = mark->error.message;
    report.host_code = mark->error.code;
    report.specifier = mark->specifier;
  } else if (thrown->IsObject() && !thrown->IsFunction()) {
    const auto object = thrown.As<v8::Object>();
    const std::string name = StringProperty(scope, object, "name");
    if (hostile.IsStopped()) return report;
    if (!name.empty()) report.name = name;
    report.message = StringProperty(scope, object, "message");
    if (hostile.IsStopped()) return report;
    if (report.message.empty() && !thrown->IsNativeError()) {
      report.message = TextOf(scope, thrown);
      if (report.message == "[object Object]") report.message += KeysOf(scope, object);
    }
  } else if (thrown->IsSymbol()) {
    v8::Local<v8::String> text;
    if (thrown->ToDetailString(scope.context()).ToLocal(&text)) {
      report.message = ToUtf8Clipped(isolate, text, kMaxTextBytes);
    }
  } else {
    report.message = TextOf(scope, thrown);
  }
  if (hostile.IsStopped()) return report;
  if (message.IsEmpty()) message = v8::Exception::CreateMessage(isolate, thrown);
  if (message.IsEmpty()) return report;
  v8::Local<v8::StackTrace> trace = v8::Exception::GetStackTrace(thrown);
  if (trace.IsEmpty()) trace = message->GetStackTrace();
  if (!trace.IsEmpty()) ReadFrames(scope, trace, report);
  if (mark && mark->line > 0) {
    report.filename = mark->filename;
    report.line = mark->line;
    report.column = mark->column;
  } else {
    ReadPosition(scope, message, report);
  }
  if (report.line == 0 && !report.frames.empty()) {
    report.filename = report.frames.front().filename;
    report.line = report.frames.front().line;
    report.column = report.frames.front().column;
  }
  return report;
}

}  // namespace isobox
