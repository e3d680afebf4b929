#include "native/guest/guarded_list.h"

#include <array>
#include <string_view>

#include "native/guest/guest_isolate.h"
#include "native/values/text.h"

namespace isobox {
namespace {

using Info = v8::FunctionCallbackInfo<v8::Value>;

// What V8 and ICU hold for a text, beside two copies of it.
constexpr double kTextBytes = 128;
constexpr double kUnitBytes = 8;

// What the functions below share, as elements of an array.
enum State : uint32_t { kIterator, kNext, kBytes };

v8::MaybeLocal<v8::Value> Get(v8::Local<v8::Context> context, v8::Local<v8::Value> holder,
                              std::string_view name) {
  return holder.As<v8::Object>()->Get(context, Intern(v8::Isolate::GetCurrent(), name));
}

v8::Local<v8::Object> NewRecord(v8::Local<v8::Name> name, v8::Local<v8::Value> value) {
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  return v8::Object::New(isolate, v8::Null(isolate), &name, &value, 1);
}

// Adds up what has been handed out. False when the run has been ended.
bool Take(v8::Local<v8::Context> context, v8::Local<v8::Array> state, v8::Local<v8::String> text) {
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  GuestIsolate& guest = *GuestIsolate::Current();
  v8::Local<v8::Value> before;
  if (!state->Get(context, kBytes).ToLocal(&before)) return false;
  const double bytes = before.As<v8::Number>()->Value() + kTextBytes + kUnitBytes * text->Length();
  if (bytes > static_cast<double>(guest.meter().limit())) {
    guest.Refuse();
    return false;
  }
  return state->Set(context, kBytes, v8::Number::New(isolate, bytes)).FromMaybe(false);
}

void OnNext(const Info& info) {
  v8::Isolate* const isolate = info.GetIsolate();
  const auto context = isolate->GetCurrentContext();
  const auto state = info.Data().As<v8::Array>();
  v8::Local<v8::Value> iterator;
  v8::Local<v8::Value> next;
  v8::Local<v8::Value> result;
  v8::Local<v8::Value> done;
  v8::Local<v8::Value> value;
  if (!state->Get(context, kIterator).ToLocal(&iterator) ||
      !state->Get(context, kNext).ToLocal(&next) ||
      !next.As<v8::Object>()->CallAsFunction(context, iterator, 0, nullptr).ToLocal(&result)) {
    return;
  }
  info.GetReturnValue().Set(result);  // the builtin says what is wrong with it
  if (!result->IsObject() || !Get(context, result, "done").ToLocal(&done)) return;
  if (done->BooleanValue(isolate)) {
    info.GetReturnValue().Set(NewRecord(Intern(isolate, "done"), v8::True(isolate)));
    return;
  }
  if (!Get(context, result, "value").ToLocal(&value)) return;
  if (value->IsString() && !Take(context, state, value.As<v8::String>())) return;
  info.GetReturnValue().Set(NewRecord(Intern(isolate, "value"), value));
}

// When the builtin has found something that is no text.
void OnReturn(const Info& info) {
  const auto context = info.GetIsolate()->GetCurrentContext();
  v8::Local<v8::Value> iterator;
  v8::Local<v8::Value> close;
  v8::Local<v8::Value> result;
  info.GetReturnValue().Set(v8::Object::New(info.GetIsolate()));
  if (info.Data().As<v8::Array>()->Get(context, kIterator).ToLocal(&iterator) &&
      Get(context, iterator, "return").ToLocal(&close) && close->IsFunction() &&
      close.As<v8::Function>()->Call(context, iterator, 0, nullptr).ToLocal(&result)) {
    info.GetReturnValue().Set(result);
  }
}

void OnIterate(const Info& info) {
  v8::Isolate* const isolate = info.GetIsolate();
  const auto context = isolate->GetCurrentContext();
  const auto list_and_iterate = info.Data().As<v8::Array>();
  v8::Local<v8::Value> list;
  v8::Local<v8::Value> iterate;
  v8::Local<v8::Value> iterator;
  v8::Local<v8::Value> next;
  if (!list_and_iterate->Get(context, 0).ToLocal(&list) ||
      !list_and_iterate->Get(context, 1).ToLocal(&iterate) ||
      !iterate.As<v8::Object>()->CallAsFunction(context, list, 0, nullptr).ToLocal(&iterator)) {
    return;
  }
  info.GetReturnValue().Set(iterator);
  if (!iterator->IsObject() || !Get(context, iterator, "next").ToLocal(&next)) return;
  if (!next->IsFunction()) return;
  std::array<v8::Local<v8::Value>, 3> parts = {iterator, next, v8::Number::New(isolate, 0)};
  const auto state = v8::Array::New(isolate, parts.data(), parts.size());
  v8::Local<v8::Function> on_next;
  v8::Local<v8::Function> on_return;
  if (!v8::Function::New(context, OnNext, state).ToLocal(&on_next) ||
      !v8::Function::New(context, OnReturn, state).ToLocal(&on_return)) {
    return;
  }
  std::array<v8::Local<v8::Name>, 2> names = {Intern(isolate, "next"), Intern(isolate, "return")};
  std::array<v8::Local<v8::Value>, 2> values = {on_next, on_return};
  info.GetReturnValue().Set(
      v8::Object::New(isolate, v8::Null(isolate), names.data(), values.data(), names.size()));
}

}  // namespace

v8::MaybeLocal<v8::Value> GuardList(v8::Local<v8::Context> context, v8::Local<v8::Value> list) {
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  if (!list->IsObject() && !list->IsString()) return list;
  v8::Local<v8::Object> object;
  v8::Local<v8::Value> iterate;
  if (!list->ToObject(context).ToLocal(&object) ||
      !object->Get(context, v8::Symbol::GetIterator(isolate)).ToLocal(&iterate)) {
    return {};
  }
  if (!iterate->IsFunction()) return list;
  std::array<v8::Local<v8::Value>, 2> parts = {list, iterate};
  v8::Local<v8::Function> on_iterate;
  if (!v8::Function::New(context, OnIterate, v8::Array::New(isolate, parts.data(), parts.size()))
           .ToLocal(&on_iterate)) {
    return {};
  }
  return NewRecord(v8::Symbol::GetIterator(isolate), on_iterate);
}

}  // namespace isobox
