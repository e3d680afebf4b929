#include "native/guest/guest_realm.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "native/guest/builtin_guards.h"
#include "native/guest/error_report.h"
#include "native/guest/guest_console.h"
#include "native/guest/guest_isolate.h"
#include "native/values/text.h"
#include "native/values/v8_api.h"

namespace isobox::realm {
namespace {

// Runs what nearly every guest does first, so that V8 has it at hand.
constexpr std::string_view kRehearsal = "(async()=>{await 0})();0";

bool RunInternal(const GuestScope& scope, std::string_view source, std::string_view name) {
  v8::Isolate* const isolate = scope.isolate();
  v8::Local<v8::String> text;
  v8::Local<v8::Script> script;
  v8::Local<v8::Value> result;
  v8::ScriptOrigin origin =
      v8_api::MakeOrigin(isolate, Intern(isolate, std::string(kInternalScriptPrefix).append(name)),
                         0, v8_api::OriginKind::kScript);
  return ToV8(isolate, source).ToLocal(&text) &&
         v8::Script::Compile(scope.context(), text, &origin).ToLocal(&script) &&
         script->Run(scope.context()).ToLocal(&result);
}

// The construct trap of a guarded constructor; its data is the realm's own Reflect.construct.
void ConstructFixedLength(const v8::FunctionCallbackInfo<v8::Value>& info) {
  v8::Isolate* const isolate = info.GetIsolate();
  const auto context = isolate->GetCurrentContext();
  const auto arguments = info[1].As<v8::Array>();
  v8::Local<v8::Value> length;
  v8::Local<v8::Value> options;
  v8::Local<v8::Value> max_length = v8::Undefined(isolate);
  if (!arguments->Get(context, 0).ToLocal(&length) ||
      !arguments->Get(context, 1).ToLocal(&options)) {
    return;
  }
  if (options->IsObject() && !options.As<v8::Object>()
                                  ->Get(context, Intern(isolate, "maxByteLength"))
                                  .ToLocal(&max_length)) {
    return;
  }
  if (!max_length->IsUndefined()) {
    isolate->ThrowException(
        v8::Exception::RangeError(Intern(isolate, "Resizable buffers are not available here")));
    return;
  }
  std::array<v8::Local<v8::Value>, 3> forwarded = {info[0], v8::Array::New(isolate, &length, 1),
                                                   info[2]};
  v8::Local<v8::Value> made;
  if (info.Data()
          .As<v8::Function>()
          ->Call(context, v8::Undefined(isolate), static_cast<int>(forwarded.size()),
                 forwarded.data())
          .ToLocal(&made)) {
    info.GetReturnValue().Set(made);
  }
}

// Resizable buffers live outside the allocator that counts them, so their constructors refuse the
// option that asks for one. Nothing else about the constructors changes.
bool GuardBufferConstructor(const GuestScope& scope, std::string_view name) {
  v8::Isolate* const isolate = scope.isolate();
  const auto context = scope.context();
  const auto global = context->Global();
  v8::Local<v8::Value> original;
  v8::Local<v8::Value> prototype;
  v8::Local<v8::Value> reflect;
  v8::Local<v8::Value> construct;
  v8::Local<v8::Function> trap;
  v8::Local<v8::Proxy> guarded;
  const auto handler = v8::Object::New(isolate, v8::Null(isolate), nullptr, nullptr, 0);
  return global->Get(context, Intern(isolate, name)).ToLocal(&original) && original->IsFunction() &&
         original.As<v8::Object>()
             ->Get(context, Intern(isolate, "prototype"))
             .ToLocal(&prototype) &&
         global->Get(context, Intern(isolate, "Reflect")).ToLocal(&reflect) &&
         reflect.As<v8::Object>()->Get(context, Intern(isolate, "construct")).ToLocal(&construct) &&
         v8::Function::New(context, ConstructFixedLength, construct, 3,
                           v8::ConstructorBehavior::kThrow)
             .ToLocal(&trap) &&
         handler->CreateDataProperty(context, Intern(isolate, "construct"), trap)
             .FromMaybe(false) &&
         v8::Proxy::New(context, original.As<v8::Object>(), handler).ToLocal(&guarded) &&
         global->DefineOwnProperty(context, Intern(isolate, name), guarded, v8::DontEnum)
             .FromMaybe(false) &&
         prototype.As<v8::Object>()
             ->DefineOwnProperty(context, Intern(isolate, "constructor"), guarded, v8::DontEnum)
             .FromMaybe(false);
}

void Remove(const GuestScope& scope, std::string_view name) {
  scope.context()
      ->Global()
      ->Delete(scope.context(), Intern(scope.isolate(), name))
      .FromMaybe(false);
}

// What no guest has unless its plan asks for it. Taken away ahead of the run, and kept where only
// we can reach it.
enum Withheld : int { kWebAssembly, kSharedArrayBuffer, kAtomics };
constexpr std::array<std::string_view, 3> kWithheldNames = {"WebAssembly", "SharedArrayBuffer",
                                                            "Atomics"};
constexpr int kWithheldSlot = 1;  // of the context's embedder data

void Withhold(const GuestScope& scope) {
  const auto context = scope.context();
  for (size_t i = 0; i < kWithheldNames.size(); ++i) {
    v8::Local<v8::Value> value;
    if (!context->Global()
             ->Get(context, Intern(scope.isolate(), kWithheldNames[i]))
             .ToLocal(&value)) {
      continue;
    }
    context->SetEmbedderData(kWithheldSlot + static_cast<int>(i), value);
    Remove(scope, kWithheldNames[i]);
  }
}

bool GiveBack(const GuestScope& scope, Withheld which) {
  const auto context = scope.context();
  return context->Global()
      ->DefineOwnProperty(context, Intern(scope.isolate(), kWithheldNames.at(which)),
                          context->GetEmbedderData(kWithheldSlot + which), v8::DontEnum)
      .FromMaybe(false);
}

v8::MaybeLocal<v8::Value> ConsoleOf(const GuestScope& scope) {
  return scope.context()->Global()->Get(scope.context(), Intern(scope.isolate(), "console"));
}

bool AddNamespace(const GuestScope& scope, const NamespacePlan& plan, CallBridge& bridge) {
  v8::Isolate* const isolate = scope.isolate();
  const auto context = scope.context();
  const auto object = v8::Object::New(isolate);
  for (const NamespaceMember& member : plan.members) {
    v8::Local<v8::String> name;
    v8::Local<v8::Function> function;
    if (!ToV8(isolate, member.name).ToLocal(&name) ||
        !bridge.MakeHostFunction(scope, member.slot, name).ToLocal(&function) ||
        !object->CreateDataProperty(context, name, function).FromMaybe(false)) {
      return false;
    }
  }
  v8::Local<v8::String> name;
  return ToV8(isolate, plan.name).ToLocal(&name) &&
         context->Global()->CreateDataProperty(context, name, object).FromMaybe(false);
}

// A name that the plan does not use, for as long as it is needed.
std::string PassingName(const RealmPlan& plan) {
  std::string name = "$isobox";
  for (const BindingPlan& binding : plan.bindings) {
    if (binding.name.size() >= name.size()) name.assign(binding.name.size() + 1, '$');
  }
  for (const NamespacePlan& entry : plan.namespaces) {
    if (entry.name.size() >= name.size()) name.assign(entry.name.size() + 1, '$');
  }
  return name;
}

// Names that scripts and modules see but that are not on the global object: the constants of a
// classic script. A module may still declare the same name for itself.
bool BindLexically(const GuestScope& scope, const std::string& passing_name,
                   const std::vector<std::string>& names,
                   const std::vector<v8::Local<v8::Value>>& values) {
  if (names.empty()) return true;
  v8::Isolate* const isolate = scope.isolate();
  const auto context = scope.context();
  auto holder = v8::Array::New(isolate, static_cast<int>(values.size()));
  std::string source = "const ";
  for (size_t i = 0; i < names.size(); ++i) {
    if (holder->CreateDataProperty(context, static_cast<uint32_t>(i), values[i]).IsNothing()) {
      return false;
    }
    if (i > 0) source += ',';
    source.append(names[i]).append("=").append(passing_name);
    source.append("[").append(std::to_string(i)).append("]");
  }
  if (context->Global()
          ->CreateDataProperty(context, Intern(isolate, passing_name), holder)
          .IsNothing()) {
    return false;
  }
  const bool ok = RunInternal(scope, source, "bindings");
  Remove(scope, passing_name);
  return ok;
}

void OnQueueMicrotask(const v8::FunctionCallbackInfo<v8::Value>& info) {
  v8::Isolate* const isolate = info.GetIsolate();
  if (!info[0]->IsFunction()) {
    isolate->ThrowException(
        v8::Exception::TypeError(Intern(isolate, "queueMicrotask needs a function")));
    return;
  }
  isolate->EnqueueMicrotask(info[0].As<v8::Function>());
}

// V8's parser takes up to so much for a character of source, outside its heap and uninterrupted.
constexpr uint64_t kParserBytes = 64;

// Asked before each eval and `new Function`. An ended guest gets nothing to run.
v8::ModifyCodeGenerationFromStringsResult OnCodeGeneration(v8::Local<v8::Context> /*context*/,
                                                           v8::Local<v8::Value> source,
                                                           bool /*is_code_like*/) {
  GuestIsolate& guest = *GuestIsolate::Current();
  const uint64_t bytes = source->IsString() ? source.As<v8::String>()->Length() * kParserBytes : 0;
  if (bytes <= guest.meter().limit()) return {true, {}};
  guest.ReportOverLimit();
  return {true, v8::String::Empty(v8::Isolate::GetCurrent())};
}

}  // namespace

void Prepare(const GuestScope& scope) {
  scope.context()->AllowCodeGenerationFromStrings(false);
  builtin_guards::Install(scope);
  GuardBufferConstructor(scope, "ArrayBuffer");
  GuardBufferConstructor(scope, "SharedArrayBuffer");
  Withhold(scope);
  v8::Local<v8::Value> console;
  if (ConsoleOf(scope).ToLocal(&console) && console->IsObject()) {
    GuestConsole::Install(scope, console.As<v8::Object>());
  }
}

void Rehearse(const GuestScope& scope) {
  RunInternal(scope, kRehearsal, "rehearsal");
  scope.isolate()->PerformMicrotaskCheckpoint();
}

bool Apply(const GuestScope& scope, const RealmPlan& plan, CallBridge& bridge) {
  v8::Isolate* const isolate = scope.isolate();
  const auto context = scope.context();
  if (plan.allows_web_assembly && !GiveBack(scope, kWebAssembly)) return false;
  if (plan.allows_shared_memory &&
      !(GiveBack(scope, kSharedArrayBuffer) && GiveBack(scope, kAtomics))) {
    return false;
  }
  if (plan.allows_code_generation) {
    isolate->SetModifyCodeGenerationFromStringsCallback(OnCodeGeneration);
  }

  std::vector<std::string> names;
  std::vector<v8::Local<v8::Value>> values;
  if (plan.console == ConsoleMode::kNone || plan.console_scope == BindingScope::kLexical) {
    v8::Local<v8::Value> console;
    if (!ConsoleOf(scope).ToLocal(&console)) return false;
    Remove(scope, "console");
    if (plan.console != ConsoleMode::kNone) {
      names.emplace_back("console");
      values.push_back(console);
    }
  }
  if (plan.offers_queue_microtask) {
    v8::Local<v8::Function> function;
    if (!v8::Function::New(context, OnQueueMicrotask, {}, 1, v8::ConstructorBehavior::kThrow)
             .ToLocal(&function)) {
      return false;
    }
    function->SetName(Intern(isolate, "queueMicrotask"));
    names.emplace_back("queueMicrotask");
    values.emplace_back(function);
  }
  for (const NamespacePlan& entry : plan.namespaces) {
    if (!AddNamespace(scope, entry, bridge)) return false;
  }
  for (const BindingPlan& binding : plan.bindings) {
    v8::Local<v8::String> name;
    v8::Local<v8::Value> value;
    if (!ToV8(isolate, binding.name).ToLocal(&name) ||
        !DecodeClone(context, Payload(binding.value), bridge, bridge).ToLocal(&value)) {
      return false;
    }
    if (binding.scope == BindingScope::kLexical) {
      names.push_back(binding.name);
      values.push_back(value);
    } else if (context->Global()->CreateDataProperty(context, name, value).IsNothing()) {
      return false;
    }
  }
  return BindLexically(scope, PassingName(plan), names, values);
}

}  // namespace isobox::realm
