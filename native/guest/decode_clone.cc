#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "native/guest/platform.h"
#include "native/guest/stack_room.h"
#include "native/guest/value_codec.h"
#include "native/guest/wire.h"

namespace isobox {
namespace {

using wire::Tag;
using wire::ViewType;
using MaybeValue = v8::MaybeLocal<v8::Value>;

class CloneDecoder {
 public:
  CloneDecoder(v8::Local<v8::Context> context, std::string_view bytes, FunctionPort& port,
               BufferSource& buffers)
      : context_(context),
        isolate_(v8::Isolate::GetCurrent()),
        bytes_(bytes),
        port_(port),
        buffers_(buffers) {}

  MaybeValue Run() {
    MaybeValue value = Read();
    return at_ == bytes_.size() ? value : MaybeValue();
  }

 private:
  // The encoder's own limit is far below; this only keeps bad bytes from exhausting the stack.
  static constexpr uint32_t kMaxDepth = 4000;

  std::optional<uint8_t> Byte() {
    if (at_ >= bytes_.size()) return std::nullopt;
    return static_cast<uint8_t>(bytes_[at_++]);
  }

  std::optional<uint64_t> Varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = Byte();
      if (!byte) return std::nullopt;
      value |= static_cast<uint64_t>(*byte & 0x7FU) << shift;
      if ((*byte & 0x80U) == 0) return value;
    }
    return std::nullopt;
  }

  std::optional<std::string_view> Raw(uint64_t length) {
    if (length > bytes_.size() - at_) return std::nullopt;
    const std::string_view raw = bytes_.substr(at_, length);
    at_ += length;
    return raw;
  }

  template <typename T>
  std::optional<T> Fixed() {
    const auto raw = Raw(sizeof(T));
    if (!raw) return std::nullopt;
    T value;
    std::memcpy(&value, raw->data(), sizeof(T));
    return value;
  }

  bool AtEnd() {
    if (at_ >= bytes_.size() || bytes_[at_] != static_cast<char>(Tag::kEnd)) return false;
    at_ += 1;
    return true;
  }

  MaybeValue Read() {
    const auto byte = Byte();
    if (!byte || depth_ > kMaxDepth) return {};
    depth_ += 1;
    if (depth_ % kLevelsPerStackCheck == 0 && !HasStackRoom(context_)) return {};
    MaybeValue value = ReadTagged(static_cast<Tag>(*byte));
    depth_ -= 1;
    return value;
  }

  MaybeValue ReadTagged(Tag tag) {
    switch (tag) {
      case Tag::kUndefined:
        return v8::Undefined(isolate_).As<v8::Value>();
      case Tag::kNull:
        return v8::Null(isolate_).As<v8::Value>();
      case Tag::kTrue:
        return v8::True(isolate_).As<v8::Value>();
      case Tag::kFalse:
        return v8::False(isolate_).As<v8::Value>();
      case Tag::kInt32:
        return ReadInt32();
      case Tag::kDouble: {
        const auto number = Fixed<double>();
        if (!number) return {};
        return v8::Number::New(isolate_, *number).As<v8::Value>();
      }
      case Tag::kBigInt:
        return ReadBigInt();
      case Tag::kOneByteString:
      case Tag::kTwoByteString:
        return Widen(ReadString(tag));
      case Tag::kObject:
        return ReadObject();
      case Tag::kArray:
        return ReadArray();
      case Tag::kSparseArray:
        return ReadSparseArray();
      case Tag::kMap:
        return ReadMap();
      case Tag::kSet:
        return ReadSet();
      case Tag::kDate:
        return ReadDate();
      case Tag::kRegExp:
        return ReadRegExp();
      case Tag::kArrayBuffer:
        return ReadBuffer();
      case Tag::kView:
        return ReadView();
      case Tag::kReference: {
        const auto index = Varint();
        if (!index || *index >= objects_.size()) return {};
        return objects_[*index].As<v8::Value>();
      }
      case Tag::kFunction:
        return ReadCallable(FunctionPort::Kind::kFunction);
      case Tag::kPromise:
        return ReadCallable(FunctionPort::Kind::kPromise);
      case Tag::kHole:
      case Tag::kEnd:
        return {};
    }
    return {};
  }

  template <typename T>
  static MaybeValue Widen(v8::MaybeLocal<T> value) {
    v8::Local<T> local;
    if (!value.ToLocal(&local)) return {};
    return local.template As<v8::Value>();
  }

  // Objects are numbered in the order in which the encoder met them: before their contents.
  template <typename T>
  v8::Local<T> Number(v8::Local<T> object) {
    objects_.push_back(object);
    return object;
  }

  MaybeValue ReadInt32() {
    const auto raw = Varint();
    if (!raw) return {};
    const auto zigzag = static_cast<uint32_t>(*raw);
    return v8::Integer::New(isolate_, static_cast<int32_t>((zigzag >> 1U) ^ (~(zigzag & 1U) + 1U)))
        .As<v8::Value>();
  }

  MaybeValue ReadBigInt() {
    const auto sign = Byte();
    const auto count = Varint();
    if (!sign || !count) return {};
    const auto raw = Raw(*count <= bytes_.size() ? *count * sizeof(uint64_t) : UINT64_MAX);
    if (!raw) return {};
    std::vector<uint64_t> words(*count);
    if (!words.empty()) std::memcpy(words.data(), raw->data(), raw->size());
    return Widen(v8::BigInt::NewFromWords(context_, *sign, static_cast<int>(*count), words.data()));
  }

  v8::MaybeLocal<v8::String> ReadString(Tag tag) {
    const auto length = Varint();
    if (!length || *length > static_cast<uint64_t>(v8::String::kMaxLength)) return {};
    if (tag == Tag::kOneByteString) {
      const auto raw = Raw(*length);
      if (!raw) return {};
      return v8::String::NewFromOneByte(isolate_, reinterpret_cast<const uint8_t*>(raw->data()),
                                        v8::NewStringType::kNormal, static_cast<int>(*length));
    }
    const auto raw = Raw(*length * sizeof(uint16_t));
    if (!raw) return {};
    std::vector<uint16_t> units(*length);  // the bytes may be unaligned
    if (!units.empty()) std::memcpy(units.data(), raw->data(), raw->size());
    return v8::String::NewFromTwoByte(isolate_, units.data(), v8::NewStringType::kNormal,
                                      static_cast<int>(*length));
  }

  v8::MaybeLocal<v8::String> ReadKey() {
    const auto byte = Byte();
    if (!byte) return {};
    const auto tag = static_cast<Tag>(*byte);
    if (tag != Tag::kOneByteString && tag != Tag::kTwoByteString) return {};
    return ReadString(tag);
  }

  MaybeValue ReadObject() {
    const auto object = Number(v8::Object::New(isolate_));
    while (!AtEnd()) {
      v8::Local<v8::String> key;
      v8::Local<v8::Value> value;
      if (!ReadKey().ToLocal(&key) || !Read().ToLocal(&value)) return {};
      // A data property whatever its name: __proto__ is a key like any other.
      if (object->CreateDataProperty(context_, key, value).IsNothing()) return {};
    }
    return object.As<v8::Value>();
  }

  MaybeValue ReadArray() {
    const auto length = Varint();
    if (!length || *length > bytes_.size() - at_) return {};
    const auto array = Number(v8::Array::New(isolate_, static_cast<int>(*length)));
    for (uint32_t i = 0; i < *length; ++i) {
      if (at_ < bytes_.size() && bytes_[at_] == static_cast<char>(Tag::kHole)) {
        at_ += 1;
        continue;
      }
      v8::Local<v8::Value> element;
      if (!Read().ToLocal(&element)) return {};
      if (array->CreateDataProperty(context_, i, element).IsNothing()) return {};
    }
    return array.As<v8::Value>();
  }

  MaybeValue ReadSparseArray() {
    const auto length = Varint();
    if (!length || *length > UINT32_MAX) return {};
    const auto array = Number(v8::Array::New(isolate_));
    const auto name = v8::String::NewFromUtf8Literal(isolate_, "length");
    if (array->Set(context_, name, v8::Number::New(isolate_, static_cast<double>(*length)))
            .IsNothing()) {
      return {};
    }
    while (!AtEnd()) {
      const auto marker = Byte();
      const auto index = Varint();
      v8::Local<v8::Value> element;
      if (!marker || !index || *index >= *length || !Read().ToLocal(&element)) return {};
      if (array->CreateDataProperty(context_, static_cast<uint32_t>(*index), element).IsNothing()) {
        return {};
      }
    }
    return array.As<v8::Value>();
  }

  MaybeValue ReadMap() {
    const auto map = Number(v8::Map::New(isolate_));
    while (!AtEnd()) {
      v8::Local<v8::Value> key;
      v8::Local<v8::Value> value;
      if (!Read().ToLocal(&key) || !Read().ToLocal(&value)) return {};
      if (map->Set(context_, key, value).IsEmpty()) return {};
    }
    return map.As<v8::Value>();
  }

  MaybeValue ReadSet() {
    const auto set = Number(v8::Set::New(isolate_));
    while (!AtEnd()) {
      v8::Local<v8::Value> value;
      if (!Read().ToLocal(&value) || set->Add(context_, value).IsEmpty()) return {};
    }
    return set.As<v8::Value>();
  }

  MaybeValue ReadDate() {
    const auto time = Fixed<double>();
    v8::Local<v8::Value> date;
    if (!time || !v8::Date::New(context_, *time).ToLocal(&date)) return {};
    return Number(date.As<v8::Object>()).As<v8::Value>();
  }

  MaybeValue ReadRegExp() {
    const auto flags = Varint();
    v8::Local<v8::String> source;
    v8::Local<v8::RegExp> expression;
    if (!flags || !ReadKey().ToLocal(&source)) return {};
    if (!v8::RegExp::New(context_, source, static_cast<v8::RegExp::Flags>(*flags))
             .ToLocal(&expression)) {
      return {};
    }
    return Number(expression).As<v8::Value>();
  }

  v8::MaybeLocal<v8::ArrayBuffer> ReadBytes() {
    const auto length = Varint();
    const auto raw = length ? Raw(*length) : std::nullopt;
    if (!raw) return {};
    auto store = buffers_.Allocate(raw->size());
    if (!store) return {};
    if (!raw->empty()) std::memcpy(store->Data(), raw->data(), raw->size());
    return v8::ArrayBuffer::New(isolate_, std::move(store));
  }

  MaybeValue ReadBuffer() {
    v8::Local<v8::ArrayBuffer> buffer;
    if (!ReadBytes().ToLocal(&buffer)) return {};
    return Number(buffer).As<v8::Value>();
  }

  MaybeValue ReadView() {
    const auto type = Byte();
    v8::Local<v8::ArrayBuffer> buffer;
    if (!type || !ReadBytes().ToLocal(&buffer)) return {};
    const size_t length = buffer->ByteLength();
    switch (static_cast<ViewType>(*type)) {
      case ViewType::kInt8:
        return MakeView<v8::Int8Array>(buffer, length);
      case ViewType::kUint8:
        return MakeView<v8::Uint8Array>(buffer, length);
      case ViewType::kUint8Clamped:
        return MakeView<v8::Uint8ClampedArray>(buffer, length);
      case ViewType::kInt16:
        return MakeView<v8::Int16Array>(buffer, length / 2);
      case ViewType::kUint16:
        return MakeView<v8::Uint16Array>(buffer, length / 2);
      case ViewType::kInt32:
        return MakeView<v8::Int32Array>(buffer, length / 4);
      case ViewType::kUint32:
        return MakeView<v8::Uint32Array>(buffer, length / 4);
      case ViewType::kFloat32:
        return MakeView<v8::Float32Array>(buffer, length / 4);
      case ViewType::kFloat64:
        return MakeView<v8::Float64Array>(buffer, length / 8);
      case ViewType::kBigInt64:
        return MakeView<v8::BigInt64Array>(buffer, length / 8);
      case ViewType::kBigUint64:
        return MakeView<v8::BigUint64Array>(buffer, length / 8);
      case ViewType::kDataView:
        return MakeView<v8::DataView>(buffer, length);
      case ViewType::kFloat16: {
        v8::Local<v8::Object> view;
        if (!platform::NewFloat16Array(buffer, length / 2).ToLocal(&view)) return {};
        return Number(view).As<v8::Value>();
      }
    }
    return {};
  }

  template <typename View>
  MaybeValue MakeView(v8::Local<v8::ArrayBuffer> buffer, size_t length) {
    return Number(View::New(buffer, 0, length)).template As<v8::Value>();
  }

  MaybeValue ReadCallable(FunctionPort::Kind kind) {
    const auto slot = Varint();
    v8::Local<v8::Value> callable;
    if (!slot || *slot > UINT32_MAX ||
        !port_.Import(static_cast<FunctionSlot>(*slot), kind).ToLocal(&callable) ||
        !callable->IsObject()) {
      return {};
    }
    return Number(callable.As<v8::Object>()).As<v8::Value>();
  }

  v8::Local<v8::Context> context_;
  v8::Isolate* isolate_;
  std::string_view bytes_;
  FunctionPort& port_;
  BufferSource& buffers_;
  size_t at_ = 0;
  uint32_t depth_ = 0;
  std::vector<v8::Local<v8::Object>> objects_;
};

}  // namespace

v8::MaybeLocal<v8::Value> DecodeClone(v8::Local<v8::Context> context, const Payload& payload,
                                      FunctionPort& port, BufferSource& buffers) {
  v8::EscapableHandleScope scope(v8::Isolate::GetCurrent());
  v8::Local<v8::Value> value;
  if (!CloneDecoder(context, payload.bytes, port, buffers).Run().ToLocal(&value)) return {};
  return scope.Escape(value);
}

}  // namespace isobox
