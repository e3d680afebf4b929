#include "native/guest/module_exports.h"

#include "native/guest/guest_isolate.h"
#include "native/guest/json_cost.h"
#include "native/values/text.h"

namespace isobox {

bool ModuleExports::Add(const GuestScope& scope, std::string_view name,
                        v8::Local<v8::Value> value) {
  v8::Local<v8::String> text;
  if (!ToV8(scope.isolate(), name).ToLocal(&text)) return false;
  names.emplace_back(scope.isolate(), text);
  values.emplace_back(scope.isolate(), value);
  return true;
}

bool ModuleExports::AddJson(const GuestScope& scope, const std::string& source) {
  v8::Local<v8::String> text;
  v8::Local<v8::Value> value;
  if (!ToV8(scope.isolate(), source).ToLocal(&text)) return false;
  GuestIsolate& guest = *GuestIsolate::Current();
  if (!json_cost::ParseFits(scope.isolate(), text, guest.meter().limit())) {
    guest.Refuse();
    return false;
  }
  return v8::JSON::Parse(scope.context(), text).ToLocal(&value) && Add(scope, "default", value);
}

bool ModuleExports::AddHost(const GuestScope& scope, const SyntheticModulePlan& plan,
                            CallBridge& bridge) {
  for (const auto& [name, payload] : plan.exports) {
    v8::Local<v8::Value> value;
    if (!DecodeClone(scope.context(), Payload(payload), bridge, bridge).ToLocal(&value) ||
        !Add(scope, name, value)) {
      return false;
    }
  }
  return true;
}

// As Node has it: the whole by default, and each of its properties by name.
bool ModuleExports::AddLibrary(const GuestScope& scope, v8::Local<v8::String> specifier,
                               GuestLibrary& library) {
  const auto context = scope.context();
  v8::Local<v8::Value> whole;
  v8::Local<v8::Array> keys;
  if (!library.Provide(scope, specifier, GuestLibrary::Kind::kModule).ToLocal(&whole) ||
      !whole->IsObject() || !Add(scope, "default", whole) ||
      !whole.As<v8::Object>()->GetOwnPropertyNames(context).ToLocal(&keys)) {
    return false;
  }
  for (uint32_t i = 0; i < keys->Length(); ++i) {
    v8::Local<v8::Value> name;
    v8::Local<v8::Value> value;
    if (!keys->Get(context, i).ToLocal(&name) ||
        !whole.As<v8::Object>()->Get(context, name).ToLocal(&value)) {
      return false;
    }
    if (!name->IsString()) continue;
    const std::string text = ToUtf8(scope.isolate(), name.As<v8::String>());
    if (text != "default" && !Add(scope, text, value)) return false;
  }
  return true;
}

}  // namespace isobox
