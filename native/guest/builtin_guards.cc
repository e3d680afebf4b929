#include "native/guest/builtin_guards.h"

#include <array>
#include <span>
#include <string_view>

#include "native/guest/guarded_list.h"
#include "native/guest/guest_catch.h"
#include "native/guest/guest_isolate.h"
#include "native/guest/json_cost.h"
#include "native/guest/platform.h"
#include "native/guest/string_pieces.h"
#include "native/values/text.h"

namespace isobox::builtin_guards {
namespace {

using Info = v8::FunctionCallbackInfo<v8::Value>;
using TextCheck = bool (*)(v8::Isolate* isolate, v8::Local<v8::String> text, uint64_t bytes);

// An upper bound of what a URI takes, while V8 writes it and then as a string.
bool UriFits(v8::Isolate* isolate, v8::Local<v8::String> text, uint64_t bytes) {
  uint64_t length = 0;
  return ForEachPiece(isolate, text, [&](auto units) {
    for (const uint32_t unit : units) {
      const bool is_letter = (unit | 0x20U) - 'a' < 26 || unit - '0' < 10;
      length += is_letter ? 1 : unit < 0x80 ? 3 : unit < 0x800 ? 6 : 9;
    }
    return 2 * length <= bytes;
  });
}

// The same for normalized text. No character becomes more than 18 others, and few more than three.
bool NormalizedFits(v8::Isolate* isolate, v8::Local<v8::String> text, uint64_t bytes) {
  uint64_t length = 0;
  return ForEachPiece(isolate, text, [&](auto units) {
    for (const uint32_t unit : units) {
      const bool is_plain = unit < 0xA0 || (unit >= 0x3400 && unit < 0xA000);
      const bool is_short = unit < 0x300 || (unit >= 0xA000 && unit < 0xFB00);
      length += is_plain ? 1 : is_short ? 3 : unit == 0xFDFA ? 18 : 8;
    }
    return 2 * length <= bytes;
  });
}

// For builtins that copy the text in two bytes per character.
bool CopyFits(v8::Isolate* /*isolate*/, v8::Local<v8::String> text, uint64_t bytes) {
  return 2 * static_cast<uint64_t>(text->Length()) <= bytes;
}

// False when the run has been ended.
bool Passes(v8::Local<v8::Context> context, TextCheck check, v8::Local<v8::String> text) {
  if (text->Length() <= json_cost::kCheapTextLength) return true;
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  GuestIsolate& guest = *GuestIsolate::Current();
  const uint64_t limit = guest.meter().limit();
  v8::Local<v8::Value> first;
  // V8 flattens a text to get at a character.
  const bool fits =
      static_cast<uint64_t>(text->Length()) <= limit &&
      v8::StringObject::New(isolate, text).As<v8::Object>()->Get(context, 0).ToLocal(&first) &&
      check(isolate, text, limit);
  if (!fits) guest.Refuse();
  return fits;
}

template <TextCheck check>
void Convert(const Info& info) {
  const auto context = info.GetIsolate()->GetCurrentContext();
  v8::Local<v8::String> text;
  if (info.Data()->ToString(context).ToLocal(&text) && Passes(context, check, text)) {
    info.GetReturnValue().Set(text);
  }
}

// What the builtin is to be given for an argument that it takes for a text. Objects are converted
// once, and by the builtin. Empty when the run has been ended.
template <TextCheck check>
v8::MaybeLocal<v8::Value> Checked(v8::Local<v8::Context> context, v8::Local<v8::Value> argument) {
  if (argument->IsString()) {
    if (!Passes(context, check, argument.As<v8::String>())) return {};
    return argument;
  }
  if (!argument->IsObject()) return argument;
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  v8::Local<v8::Function> convert;
  if (!v8::Function::New(context, Convert<check>, argument).ToLocal(&convert)) return {};
  v8::Local<v8::Name> name = Intern(isolate, "toString");
  v8::Local<v8::Value> value = convert;
  return v8::Object::New(isolate, v8::Null(isolate), &name, &value, 1);
}

// V8 gives functions like these objects for receivers, where builtins get what there is.
v8::Local<v8::Value> ReceiverOf(const Info& info) {
  const v8::Local<v8::Object> receiver = info.This();
  if (receiver->IsStringObject()) return receiver.As<v8::StringObject>()->ValueOf();
  if (receiver->IsSymbolObject()) return receiver.As<v8::SymbolObject>()->ValueOf();
  if (receiver == info.GetIsolate()->GetCurrentContext()->Global()) {
    return v8::Undefined(info.GetIsolate());
  }
  return receiver;
}

void CallBuiltin(const Info& info, v8::Local<v8::Value> receiver,
                 std::span<v8::Local<v8::Value>> arguments) {
  v8::Local<v8::Value> result;
  if (info.Data()
          .As<v8::Function>()
          ->Call(info.GetIsolate()->GetCurrentContext(), receiver,
                 static_cast<int>(arguments.size()), arguments.data())
          .ToLocal(&result)) {
    info.GetReturnValue().Set(result);
  }
}

template <TextCheck check>
void OnTextArgument(const Info& info) {
  std::array<v8::Local<v8::Value>, 2> arguments = {info[0], info[1]};
  const auto context = info.GetIsolate()->GetCurrentContext();
  if (Checked<check>(context, info[0]).ToLocal(arguments.data())) {
    CallBuiltin(info, info.This(), arguments);
  }
}

// Most texts are short, and parsed sooner without the builtin. It says what is wrong with one.
void OnParse(const Info& info) {
  const GuestScope* const scope = GuestIsolate::Current()->parts().scope;
  if (scope != nullptr && info[1]->IsUndefined() && info[0]->IsString() &&
      info[0].As<v8::String>()->Length() <= json_cost::kCheapTextLength) {
    const GuestCatch failure(*scope);
    v8::Local<v8::Value> value;
    if (v8::JSON::Parse(scope->context(), info[0].As<v8::String>()).ToLocal(&value)) {
      info.GetReturnValue().Set(value);
      return;
    }
    if (failure.IsStopped()) return;
  }
  OnTextArgument<json_cost::ParseFits>(info);
}

void OnSegment(const Info& info) {
  std::array<v8::Local<v8::Value>, 1> arguments = {info[0]};
  const auto context = info.GetIsolate()->GetCurrentContext();
  if (Checked<CopyFits>(context, info[0]).ToLocal(arguments.data())) {
    CallBuiltin(info, ReceiverOf(info), arguments);
  }
}

void OnNormalize(const Info& info) {
  std::array<v8::Local<v8::Value>, 1> arguments = {info[0]};
  const auto context = info.GetIsolate()->GetCurrentContext();
  v8::Local<v8::Value> text;
  if (Checked<NormalizedFits>(context, ReceiverOf(info)).ToLocal(&text)) {
    CallBuiltin(info, text, arguments);
  }
}

void OnStringify(const Info& info) {
  v8::Isolate* const isolate = info.GetIsolate();
  const JsonWatch::Call call(GuestIsolate::Current()->json(), {info[0], info[1], info[2]});
  // V8 has a faster way for calls without this argument, which it does not interrupt.
  const v8::Local<v8::Value> space =
      info[2]->IsUndefined() ? v8::String::Empty(isolate).As<v8::Value>() : info[2];
  std::array<v8::Local<v8::Value>, 3> arguments = {info[0], info[1], space};
  CallBuiltin(info, info.This(), arguments);
}

void OnFormatList(const Info& info) {
  std::array<v8::Local<v8::Value>, 1> arguments = {info[0]};
  if (!GuardList(info.GetIsolate()->GetCurrentContext(), info[0]).ToLocal(arguments.data())) return;
  CallBuiltin(info, ReceiverOf(info), arguments);
}

// A guard is made when the guest first looks at it.
template <v8::FunctionCallback callback, int length>
void Make(v8::Local<v8::Name> name, const v8::PropertyCallbackInfo<v8::Value>& info) {
  v8::Local<v8::Function> guard;
  if (!v8::Function::New(info.GetIsolate()->GetCurrentContext(), callback, info.Data(), length,
                         v8::ConstructorBehavior::kThrow)
           .ToLocal(&guard)) {
    return;
  }
  guard->SetName(name.As<v8::String>());
  info.GetReturnValue().Set(guard);
}

v8::Local<v8::Value> Get(v8::Local<v8::Context> context, v8::Local<v8::Value> holder,
                         std::string_view name) {
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  v8::Local<v8::Value> value;
  const bool is_there =
      holder->IsObject() &&
      holder.As<v8::Object>()->Get(context, Intern(isolate, name)).ToLocal(&value);
  return is_there ? value : v8::Undefined(isolate).As<v8::Value>();
}

template <v8::FunctionCallback callback, int length = 1>
void Guard(v8::Local<v8::Context> context, v8::Local<v8::Value> holder, std::string_view name) {
  const v8::Local<v8::Value> builtin = Get(context, holder, name);
  if (!builtin->IsFunction()) return;  // Node was built without it
  holder.As<v8::Object>()
      ->SetLazyDataProperty(context, Intern(v8::Isolate::GetCurrent(), name),
                            Make<callback, length>, builtin, v8::DontEnum)
      .FromMaybe(false);
}

}  // namespace

void Install(const GuestScope& scope) {
  const v8::Local<v8::Context> context = scope.context();
  const v8::Local<v8::Object> global = context->Global();
  const auto json = Get(context, global, "JSON");
  Guard<OnParse, 2>(context, json, "parse");
  if constexpr (!platform::kWritesJsonInHeap) Guard<OnStringify, 3>(context, json, "stringify");
  Guard<OnTextArgument<UriFits>>(context, global, "encodeURI");
  Guard<OnTextArgument<UriFits>>(context, global, "encodeURIComponent");
  Guard<OnTextArgument<CopyFits>>(context, global, "decodeURI");
  Guard<OnTextArgument<CopyFits>>(context, global, "decodeURIComponent");
  const auto strings = Get(context, Get(context, global, "String"), "prototype");
  Guard<OnNormalize, 0>(context, strings, "normalize");
  const auto intl = Get(context, global, "Intl");
  const auto segmenters = Get(context, Get(context, intl, "Segmenter"), "prototype");
  Guard<OnSegment>(context, segmenters, "segment");
  const auto lists = Get(context, Get(context, intl, "ListFormat"), "prototype");
  Guard<OnFormatList>(context, lists, "format");
  Guard<OnFormatList>(context, lists, "formatToParts");
}

}  // namespace isobox::builtin_guards
