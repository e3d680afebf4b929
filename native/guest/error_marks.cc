#include "native/guest/error_marks.h"

#include <array>

#include "native/values/text.h"

namespace isobox::error_marks {
namespace {

// The mark is an array of the guest's own heap behind a private symbol: counted against the guest's
// limit, and collected with the error.
enum Field : uint32_t { kCause, kName, kMessage, kCode, kSpecifier, kFilename, kLine, kColumn };
constexpr size_t kFieldCount = kColumn + 1;

v8::Local<v8::Private> Key(v8::Isolate* isolate) {
  return v8::Private::ForApi(isolate, Intern(isolate, "isobox:mark"));
}

v8::Local<v8::String> Text(v8::Isolate* isolate, const std::string& text) {
  v8::Local<v8::String> string;
  return ToV8(isolate, text).ToLocal(&string) ? string : v8::String::Empty(isolate);
}

}  // namespace

v8::Local<v8::Value> MakeError(const GuestScope& scope, const Mark& mark) {
  v8::Isolate* const isolate = scope.isolate();
  const v8::Local<v8::Context> context = scope.context();
  const HostError& host = mark.error;
  const auto error = v8::Exception::Error(Text(isolate, host.message)).As<v8::Object>();
  const auto define = [&](const char* key, const std::string& text) {
    error->DefineOwnProperty(context, Intern(isolate, key), Text(isolate, text), v8::DontEnum)
        .FromMaybe(false);
  };
  if (!host.name.empty() && host.name != "Error") define("name", host.name);
  if (!host.code.empty()) define("code", host.code);
  std::array<v8::Local<v8::Value>, kFieldCount> fields;
  fields[kCause] = v8::Integer::New(isolate, static_cast<int>(mark.cause));
  fields[kName] = Text(isolate, host.name);
  fields[kMessage] = Text(isolate, host.message);
  fields[kCode] = Text(isolate, host.code);
  fields[kSpecifier] = Text(isolate, mark.specifier);
  fields[kFilename] = Text(isolate, mark.filename);
  fields[kLine] = v8::Integer::New(isolate, mark.line);
  fields[kColumn] = v8::Integer::New(isolate, mark.column);
  error->SetPrivate(context, Key(isolate), v8::Array::New(isolate, fields.data(), fields.size()))
      .FromMaybe(false);
  return error;
}

v8::Local<v8::Value> MakeHostError(const GuestScope& scope, const HostError& error) {
  Mark mark;
  mark.error = error;
  return MakeError(scope, mark);
}

std::optional<Mark> Find(const GuestScope& scope, v8::Local<v8::Value> value) {
  if (!value->IsNativeError()) return std::nullopt;
  const v8::Local<v8::Context> context = scope.context();
  v8::Local<v8::Value> found;
  if (!value.As<v8::Object>()->GetPrivate(context, Key(scope.isolate())).ToLocal(&found) ||
      !found->IsArray()) {
    return std::nullopt;
  }
  const auto fields = found.As<v8::Array>();
  const auto text = [&](Field field) {
    v8::Local<v8::Value> entry;
    if (!fields->Get(context, field).ToLocal(&entry) || !entry->IsString()) return std::string();
    return ToUtf8(scope.isolate(), entry.As<v8::String>());
  };
  const auto number = [&](Field field) {
    v8::Local<v8::Value> entry;
    if (!fields->Get(context, field).ToLocal(&entry) || !entry->IsInt32()) return 0;
    return entry.As<v8::Int32>()->Value();
  };
  Mark mark;
  mark.cause = static_cast<StopCause>(number(kCause));
  mark.error = {text(kName), text(kMessage), text(kCode)};
  mark.specifier = text(kSpecifier);
  mark.filename = text(kFilename);
  mark.line = number(kLine);
  mark.column = number(kColumn);
  return mark;
}

}  // namespace isobox::error_marks
