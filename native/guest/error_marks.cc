#include "native/guest/error_marks.h"

#include <utility>

#include "native/guest/text.h"

namespace isobox {

v8::Local<v8::Private> ErrorMarks::Key(const GuestScope& scope) {
  return v8::Private::ForApi(scope.isolate(), Intern(scope.isolate(), "isobox:mark"));
}

v8::Local<v8::Value> ErrorMarks::MakeError(const GuestScope& scope, Mark mark) {
  v8::Isolate* const isolate = scope.isolate();
  const v8::Local<v8::Context> context = scope.context();
  v8::Local<v8::String> message;
  if (!ToV8(isolate, mark.error.message).ToLocal(&message)) message = v8::String::Empty(isolate);
  const auto error = v8::Exception::Error(message).As<v8::Object>();
  const auto define = [&](const char* key, const std::string& text) {
    v8::Local<v8::String> value;
    if (text.empty() || !ToV8(isolate, text).ToLocal(&value)) return;
    error->DefineOwnProperty(context, Intern(isolate, key), value, v8::DontEnum).FromMaybe(false);
  };
  if (mark.error.name != "Error") define("name", mark.error.name);
  define("code", mark.error.code);
  const auto index = v8::Integer::NewFromUnsigned(isolate, static_cast<uint32_t>(marks_.size()));
  error->SetPrivate(context, Key(scope), index).FromMaybe(false);
  marks_.push_back(std::move(mark));
  return error;
}

const ErrorMarks::Mark* ErrorMarks::Find(const GuestScope& scope,
                                         v8::Local<v8::Value> value) const {
  if (marks_.empty() || !value->IsObject() || value->IsProxy()) return nullptr;
  v8::Local<v8::Value> index;
  if (!value.As<v8::Object>()->GetPrivate(scope.context(), Key(scope)).ToLocal(&index) ||
      !index->IsUint32()) {
    return nullptr;
  }
  return &marks_.at(index.As<v8::Uint32>()->Value());
}

}  // namespace isobox
