#include "native/values/typed_views.h"

#include "native/values/v8_api.h"

namespace isobox::typed_views {

using wire::ViewType;

std::optional<ViewType> TypeOf(v8::Local<v8::ArrayBufferView> view) {
  if (view->IsUint8Array()) return ViewType::kUint8;
  if (view->IsInt8Array()) return ViewType::kInt8;
  if (view->IsUint8ClampedArray()) return ViewType::kUint8Clamped;
  if (view->IsInt16Array()) return ViewType::kInt16;
  if (view->IsUint16Array()) return ViewType::kUint16;
  if (view->IsInt32Array()) return ViewType::kInt32;
  if (view->IsUint32Array()) return ViewType::kUint32;
  if (view->IsFloat32Array()) return ViewType::kFloat32;
  if (view->IsFloat64Array()) return ViewType::kFloat64;
  if (view->IsBigInt64Array()) return ViewType::kBigInt64;
  if (view->IsBigUint64Array()) return ViewType::kBigUint64;
  if (view->IsDataView()) return ViewType::kDataView;
  if (v8_api::IsFloat16Array(view)) return ViewType::kFloat16;
  return std::nullopt;
}

v8::MaybeLocal<v8::Object> New(ViewType type, v8::Local<v8::ArrayBuffer> buffer) {
  const size_t length = buffer->ByteLength();
  switch (type) {
    case ViewType::kInt8:
      return v8::Int8Array::New(buffer, 0, length).As<v8::Object>();
    case ViewType::kUint8:
      return v8::Uint8Array::New(buffer, 0, length).As<v8::Object>();
    case ViewType::kUint8Clamped:
      return v8::Uint8ClampedArray::New(buffer, 0, length).As<v8::Object>();
    case ViewType::kInt16:
      return v8::Int16Array::New(buffer, 0, length / 2).As<v8::Object>();
    case ViewType::kUint16:
      return v8::Uint16Array::New(buffer, 0, length / 2).As<v8::Object>();
    case ViewType::kInt32:
      return v8::Int32Array::New(buffer, 0, length / 4).As<v8::Object>();
    case ViewType::kUint32:
      return v8::Uint32Array::New(buffer, 0, length / 4).As<v8::Object>();
    case ViewType::kFloat32:
      return v8::Float32Array::New(buffer, 0, length / 4).As<v8::Object>();
    case ViewType::kFloat64:
      return v8::Float64Array::New(buffer, 0, length / 8).As<v8::Object>();
    case ViewType::kBigInt64:
      return v8::BigInt64Array::New(buffer, 0, length / 8).As<v8::Object>();
    case ViewType::kBigUint64:
      return v8::BigUint64Array::New(buffer, 0, length / 8).As<v8::Object>();
    case ViewType::kDataView:
      return v8::DataView::New(buffer, 0, length).As<v8::Object>();
    case ViewType::kFloat16:
      return v8_api::NewFloat16Array(buffer, length / 2);
  }
  return {};
}

}  // namespace isobox::typed_views
