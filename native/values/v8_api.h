#pragma once
// V8's interface, where its versions differ. The calling thread has entered the isolate.

#include <cstdint>
#include <vector>

#include "v8.h"

namespace isobox::v8_api {

enum class OriginKind : uint8_t { kScript, kModule };

// The prototype as `Object.getPrototypeOf` sees it. The object must not be a proxy.
v8::Local<v8::Value> PrototypeOf(v8::Local<v8::Object> object);

// The string's first characters, at most `limit` of them. ReadOneByte only when the string says
// IsOneByte().
void ReadOneByte(v8::Isolate* isolate, v8::Local<v8::String> string, std::vector<uint8_t>& out,
                 size_t limit = SIZE_MAX);
void ReadTwoByte(v8::Isolate* isolate, v8::Local<v8::String> string, std::vector<uint16_t>& out,
                 size_t limit = SIZE_MAX);

// `options` come back with every dynamic import of the script; may be empty.
v8::ScriptOrigin MakeOrigin(v8::Isolate* isolate, v8::Local<v8::String> name, int column_offset,
                            OriginKind kind, v8::Local<v8::Data> options = {});

// Whether code that is read from a cache has the options of the origin it is compiled with.
inline constexpr bool kCodeKeepsOptions = V8_MAJOR_VERSION >= 13;

v8::Local<v8::Module> NewSyntheticModule(v8::Isolate* isolate, v8::Local<v8::String> name,
                                         const std::vector<v8::Local<v8::String>>& exports,
                                         v8::Module::SyntheticModuleEvaluationSteps steps);

// Some characters of a string. One byte for each only when it says IsOneByte().
void CopyUnits(v8::Isolate* isolate, v8::Local<v8::String> string, size_t start, size_t length,
               char* out);
void CopyUnits(v8::Isolate* isolate, v8::Local<v8::String> string, size_t start, size_t length,
               uint16_t* out);

v8::Local<v8::Data> ElementOf(v8::Local<v8::Context> context, v8::Local<v8::FixedArray> array,
                              int index);

v8::Local<v8::FixedArray> AttributesOf(v8::Local<v8::ModuleRequest> request);

// Memory outside V8's heap that goes when V8's objects go.
void ReportExternalMemory(v8::Isolate* isolate, int64_t change);

// Float16Array came with V8 13.
bool IsFloat16Array(v8::Local<v8::ArrayBufferView> view);
v8::MaybeLocal<v8::Object> NewFloat16Array(v8::Local<v8::ArrayBuffer> buffer, size_t length);

// What a serializer asks before it writes an object that is no array and of no special kind.
class AskedDelegate : public v8::ValueSerializer::Delegate {
 public:
  static constexpr bool kIsAsked = V8_MAJOR_VERSION >= 12;

  // False refuses the whole value. Only called where kIsAsked.
  virtual bool MayWrite(v8::Local<v8::Object> object) = 0;

#if V8_MAJOR_VERSION >= 12
  bool HasCustomHostObject(v8::Isolate* /*isolate*/) final { return true; }
  v8::Maybe<bool> IsHostObject(v8::Isolate* isolate, v8::Local<v8::Object> object) final {
    const v8::HandleScope scope(isolate);
    return v8::Just(!MayWrite(object));
  }
#endif
};

}  // namespace isobox::v8_api
