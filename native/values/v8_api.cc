#include "native/values/v8_api.h"

#include <algorithm>

namespace isobox::v8_api {

v8::Local<v8::Value> PrototypeOf(v8::Local<v8::Object> object) {
#if V8_MAJOR_VERSION >= 13
  return object->GetPrototypeV2();
#else
  return object->GetPrototype();
#endif
}

void ReadOneByte(v8::Isolate* isolate, v8::Local<v8::String> string, std::vector<uint8_t>& out,
                 size_t limit) {
  out.resize(std::min(static_cast<size_t>(string->Length()), limit));
  CopyUnits(isolate, string, 0, out.size(), reinterpret_cast<char*>(out.data()));
}

void ReadTwoByte(v8::Isolate* isolate, v8::Local<v8::String> string, std::vector<uint16_t>& out,
                 size_t limit) {
  out.resize(std::min(static_cast<size_t>(string->Length()), limit));
  CopyUnits(isolate, string, 0, out.size(), out.data());
}

v8::ScriptOrigin MakeOrigin([[maybe_unused]] v8::Isolate* isolate, v8::Local<v8::String> name,
                            int column_offset, OriginKind kind, v8::Local<v8::Data> options) {
  const bool is_module = kind == OriginKind::kModule;
#if V8_MAJOR_VERSION >= 12
  return {name,  0,     column_offset, false,  -1, v8::Local<v8::Value>(),
          false, false, is_module,     options};
#else
  return {isolate, name,  0,         column_offset, false, -1, v8::Local<v8::Value>(),
          false,   false, is_module, options};
#endif
}

v8::Local<v8::Module> NewSyntheticModule(v8::Isolate* isolate, v8::Local<v8::String> name,
                                         const std::vector<v8::Local<v8::String>>& exports,
                                         v8::Module::SyntheticModuleEvaluationSteps steps) {
#if V8_MAJOR_VERSION >= 12
  return v8::Module::CreateSyntheticModule(
      isolate, name, v8::MemorySpan<const v8::Local<v8::String>>(exports.data(), exports.size()),
      steps);
#else
  return v8::Module::CreateSyntheticModule(isolate, name, exports, steps);
#endif
}

void CopyUnits(v8::Isolate* isolate, v8::Local<v8::String> string, size_t start, size_t length,
               char* out) {
  auto* const bytes = reinterpret_cast<uint8_t*>(out);
#if V8_MAJOR_VERSION >= 13
  string->WriteOneByteV2(isolate, static_cast<uint32_t>(start), static_cast<uint32_t>(length),
                         bytes);
#else
  string->WriteOneByte(isolate, bytes, static_cast<int>(start), static_cast<int>(length),
                       v8::String::NO_NULL_TERMINATION);
#endif
}

void CopyUnits(v8::Isolate* isolate, v8::Local<v8::String> string, size_t start, size_t length,
               uint16_t* out) {
#if V8_MAJOR_VERSION >= 13
  string->WriteV2(isolate, static_cast<uint32_t>(start), static_cast<uint32_t>(length), out);
#else
  string->Write(isolate, out, static_cast<int>(start), static_cast<int>(length),
                v8::String::NO_NULL_TERMINATION);
#endif
}

v8::Local<v8::Data> ElementOf([[maybe_unused]] v8::Local<v8::Context> context,
                              v8::Local<v8::FixedArray> array, int index) {
#if V8_MAJOR_VERSION >= 14
  return array->Get(index);
#else
  return array->Get(context, index);
#endif
}

v8::Local<v8::FixedArray> AttributesOf(v8::Local<v8::ModuleRequest> request) {
#if V8_MAJOR_VERSION >= 12
  return request->GetImportAttributes();
#else
  return request->GetImportAssertions();
#endif
}

void ReportExternalMemory(v8::Isolate* isolate, int64_t change) {
  isolate->AdjustAmountOfExternalAllocatedMemory(change);
}

bool IsFloat16Array([[maybe_unused]] v8::Local<v8::ArrayBufferView> view) {
#if V8_MAJOR_VERSION >= 13
  return view->IsFloat16Array();
#else
  return false;
#endif
}

v8::MaybeLocal<v8::Object> NewFloat16Array([[maybe_unused]] v8::Local<v8::ArrayBuffer> buffer,
                                           [[maybe_unused]] size_t length) {
#if V8_MAJOR_VERSION >= 13
  return v8::Float16Array::New(buffer, 0, length);
#else
  return {};
#endif
}

}  // namespace isobox::v8_api
