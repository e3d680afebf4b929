#include "native/guest/guest_library.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "native/core/guarded.h"
#include "native/guest/error_report.h"
#include "native/guest/guest_isolate.h"
#include "native/values/text.h"
#include "native/values/v8_api.h"

namespace isobox {
namespace {

// V8 uses the sources where they lie, so parts stay once they are installed.
Guarded<std::shared_ptr<const LibraryParts>> installed;

std::shared_ptr<const LibraryParts> Installed() { return *installed.Lock(); }

// A part's source. V8 owns it, and it keeps the parts.
class PartText final : public v8::String::ExternalOneByteStringResource {
 public:
  PartText(std::shared_ptr<const LibraryParts> parts, std::string_view source)
      : parts_(std::move(parts)), source_(source) {}
  static v8::MaybeLocal<v8::String> Make(v8::Isolate* isolate,
                                         const std::shared_ptr<const LibraryParts>& parts,
                                         std::string_view source) {
    auto resource = std::make_unique<PartText>(parts, source);
    const auto text = v8::String::NewExternalOneByte(isolate, resource.get());
    if (!text.IsEmpty()) static_cast<void>(resource.release());
    return text;  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the text is V8's now
  }
  const char* data() const override { return source_.data(); }
  size_t length() const override { return source_.size(); }

 private:
  const std::shared_ptr<const LibraryParts> parts_;
  const std::string_view source_;
};

// now(): milliseconds of a clock that only goes forward.
void OnNow(const v8::FunctionCallbackInfo<v8::Value>& info) {
  const std::chrono::duration<double, std::milli> now =
      std::chrono::steady_clock::now().time_since_epoch();
  info.GetReturnValue().Set(now.count());
}

// What one call may ask for, as crypto.getRandomValues has it.
constexpr size_t kMaxRandomBytes = 65536;
// The system's own bound.
constexpr size_t kMaxEntropyBytes = 256;

// random(bytes): fills a Uint8Array.
void OnRandom(const v8::FunctionCallbackInfo<v8::Value>& info) {
  v8::Isolate* const isolate = info.GetIsolate();
  if (!info[0]->IsUint8Array() || info[0].As<v8::Uint8Array>()->ByteLength() > kMaxRandomBytes) {
    isolate->ThrowException(
        v8::Exception::TypeError(Intern(isolate, "random needs a Uint8Array of 65536 at most")));
    return;
  }
  const auto view = info[0].As<v8::Uint8Array>();
  auto* const bytes = static_cast<uint8_t*>(view->Buffer()->Data()) + view->ByteOffset();
  for (size_t at = 0; at < view->ByteLength(); at += kMaxEntropyBytes) {
    if (getentropy(bytes + at, std::min(kMaxEntropyBytes, view->ByteLength() - at)) == 0) continue;
    isolate->ThrowException(
        v8::Exception::Error(Intern(isolate, "The system has no random bytes to give")));
    return;
  }
}

constexpr std::array<std::pair<std::string_view, v8::FunctionCallback>, 2> kNativeFunctions = {
    {{"now", OnNow}, {"random", OnRandom}}};

}  // namespace

void GuestLibrary::Install(LibraryParts parts) {
  auto place = installed.Lock();
  if (!*place) *place = std::make_shared<const LibraryParts>(std::move(parts));
}

bool GuestLibrary::DefineGlobals(const GuestScope& scope) {
  const auto context = scope.context();
  return std::ranges::all_of(plan_.globals, [&](const std::string& name) {
    return context->Global()
        ->SetLazyDataProperty(context, Intern(scope.isolate(), name), OnGlobal, {}, v8::DontEnum)
        .FromMaybe(false);
  });
}

bool GuestLibrary::HasModule(std::string_view specifier) const {
  return std::ranges::find(plan_.modules, specifier) != plan_.modules.end();
}

void GuestLibrary::OnGlobal(v8::Local<v8::Name> name,
                            const v8::PropertyCallbackInfo<v8::Value>& info) {
  const auto& parts = GuestIsolate::Current()->parts();
  v8::Local<v8::Value> value;
  if (parts.library->Provide(*parts.scope, name, Kind::kGlobal).ToLocal(&value)) {
    info.GetReturnValue().Set(value);
  }
}

void GuestLibrary::OnLoad(const v8::FunctionCallbackInfo<v8::Value>& info) {
  const auto& parts = GuestIsolate::Current()->parts();
  v8::Local<v8::Value> function;
  if (!info[0]->IsString()) return;
  const std::string part = ToUtf8(info.GetIsolate(), info[0].As<v8::String>());
  if (parts.library->Load(*parts.scope, part).ToLocal(&function)) {
    info.GetReturnValue().Set(function);
  }
}

v8::MaybeLocal<v8::Value> GuestLibrary::Provide(const GuestScope& scope, v8::Local<v8::Value> name,
                                                Kind kind) {
  v8::Isolate* const isolate = scope.isolate();
  if (provide_.IsEmpty() && !Start(scope)) return {};
  std::array<v8::Local<v8::Value>, 2> arguments = {
      name, v8::Boolean::New(isolate, kind == Kind::kModule)};
  return provide_.Get(isolate)->Call(scope.context(), v8::Undefined(isolate),
                                     static_cast<int>(arguments.size()), arguments.data());
}

bool GuestLibrary::Start(const GuestScope& scope) {
  const auto context = scope.context();
  v8::Local<v8::Value> main;
  v8::Local<v8::Function> load;
  v8::Local<v8::Object> host;
  v8::Local<v8::Value> settings;
  v8::Local<v8::Value> provide;
  if (!Load(scope, kMainPart).ToLocal(&main) ||
      !v8::Function::New(context, OnLoad, {}, 1, v8::ConstructorBehavior::kThrow).ToLocal(&load) ||
      !MakeHost(scope).ToLocal(&host) ||
      !DecodeClone(context, Payload(plan_.settings), bridge_, bridge_).ToLocal(&settings)) {
    return false;
  }
  std::array<v8::Local<v8::Value>, 3> arguments = {load, host, settings};
  if (!main.As<v8::Function>()
           ->Call(context, v8::Undefined(scope.isolate()), static_cast<int>(arguments.size()),
                  arguments.data())
           .ToLocal(&provide)) {
    return false;
  }
  provide_.Reset(scope.isolate(), provide.As<v8::Function>());
  return true;
}

v8::MaybeLocal<v8::Object> GuestLibrary::MakeHost(const GuestScope& scope) {
  v8::Isolate* const isolate = scope.isolate();
  const auto context = scope.context();
  const auto host = v8::Object::New(isolate, v8::Null(isolate), nullptr, nullptr, 0);
  v8::Local<v8::Function> function;
  for (const auto& [name, callback] : kNativeFunctions) {
    if (!v8::Function::New(context, callback, {}, 1, v8::ConstructorBehavior::kThrow)
             .ToLocal(&function) ||
        !host->CreateDataProperty(context, Intern(isolate, name), function).FromMaybe(false)) {
      return {};
    }
  }
  for (const NamespaceMember& member : plan_.functions) {
    const auto name = Intern(isolate, member.name);
    if (!bridge_.MakeHostFunction(scope, member.slot, name).ToLocal(&function) ||
        !host->CreateDataProperty(context, name, function).FromMaybe(false)) {
      return {};
    }
  }
  return host;
}

v8::MaybeLocal<v8::Value> GuestLibrary::Load(const GuestScope& scope, std::string_view part) {
  v8::Isolate* const isolate = scope.isolate();
  const auto parts = Installed();
  const auto place = parts ? parts->find(part) : LibraryParts::const_iterator();
  if (!parts || place == parts->end()) {
    isolate->ThrowException(v8::Exception::Error(Intern(isolate, "There is no such part")));
    return {};
  }
  const auto& [name, content] = *place;
  v8::Local<v8::String> text;
  if (!PartText::Make(isolate, parts, content.source).ToLocal(&text)) return {};
  const v8::ScriptOrigin origin =
      v8_api::MakeOrigin(isolate, Intern(isolate, std::string(kInternalScriptPrefix).append(name)),
                         0, v8_api::OriginKind::kScript);
  const std::string& cache = content.code_cache;
  // V8 takes the description, and leaves the bytes alone.
  v8::ScriptCompiler::Source source(
      text, origin,
      cache.empty()
          ? nullptr
          : new v8::ScriptCompiler::CachedData(reinterpret_cast<const uint8_t*>(cache.data()),
                                               static_cast<int>(cache.size())));
  v8::Local<v8::Script> script;
  if (!v8::ScriptCompiler::Compile(scope.context(), &source,
                                   cache.empty() ? v8::ScriptCompiler::kNoCompileOptions
                                                 : v8::ScriptCompiler::kConsumeCodeCache)
           .ToLocal(&script)) {
    return {};
  }
  return script->Run(scope.context());
}

}  // namespace isobox
