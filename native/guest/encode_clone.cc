#include <cmath>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <vector>

#include "native/guest/encode_support.h"
#include "native/guest/wire.h"

namespace isobox {
namespace {

using wire::Tag;
using wire::ViewType;

class CloneEncoder {
 public:
  CloneEncoder(v8::Local<v8::Context> context, const CodecLimits& limits, const StopLatch* stop,
               FunctionPort& port, std::string& out)
      : state_(context, limits, stop, out), out_(out), port_(port) {}

  EncodeResult Run(v8::Local<v8::Value> value) { return state_.Finish(Write(value)); }

 private:
  void Put(Tag tag) { out_.push_back(static_cast<char>(tag)); }

  void PutVarint(uint64_t value) {
    while (value >= 0x80U) {
      out_.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
      value >>= 7U;
    }
    out_.push_back(static_cast<char>(value));
  }

  template <typename T>
  void PutRaw(const T& value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }

  bool Write(v8::Local<v8::Value> value) {
    if (value->IsObject()) return WriteObject(value.As<v8::Object>());
    if (value->IsString()) {
      if (!state_.HasRoomFor(value.As<v8::String>())) return false;
      WriteString(value.As<v8::String>());
    } else if (value->IsInt32()) {
      const auto number = value.As<v8::Int32>()->Value();
      Put(Tag::kInt32);
      PutVarint((static_cast<uint32_t>(number) << 1U) ^ static_cast<uint32_t>(number >> 31));
    } else if (value->IsNumber()) {
      Put(Tag::kDouble);
      PutRaw(value.As<v8::Number>()->Value());
    } else if (value->IsBoolean()) {
      Put(value->IsTrue() ? Tag::kTrue : Tag::kFalse);
    } else if (value->IsNull()) {
      Put(Tag::kNull);
    } else if (value->IsUndefined()) {
      Put(Tag::kUndefined);
    } else if (value->IsBigInt()) {
      WriteBigInt(value.As<v8::BigInt>());
    } else {
      return state_.Refuse(DescribeKind(value));
    }
    return state_.CheckSize();
  }

  void WriteBigInt(v8::Local<v8::BigInt> value) {
    int sign = 0;
    int count = value->WordCount();
    std::vector<uint64_t> words(static_cast<size_t>(count));
    value->ToWordsArray(&sign, &count, words.data());
    Put(Tag::kBigInt);
    out_.push_back(static_cast<char>(sign));
    PutVarint(words.size());
    for (const uint64_t word : words)
      PutRaw(word);
  }

  void WriteString(v8::Local<v8::String> string) {
    if (string->IsOneByte()) {
      const auto length = static_cast<size_t>(string->Length());
      Put(Tag::kOneByteString);
      PutVarint(length);
      state_.Reserve(length);
      state_.Append<char>(string);
      return;
    }
    platform::ReadTwoByte(state_.isolate, string, units_);
    Put(Tag::kTwoByteString);
    PutVarint(units_.size());
    out_.append(reinterpret_cast<const char*>(units_.data()), units_.size() * sizeof(uint16_t));
  }

  // True when the object was written before and now stands as a reference.
  bool WriteReference(v8::Local<v8::Object> object) {
    const int hash = object->GetIdentityHash();
    const auto [first, last] = seen_.equal_range(hash);
    for (auto place = first; place != last; ++place) {
      if (objects_[place->second] != object) continue;
      Put(Tag::kReference);
      PutVarint(place->second);
      return true;
    }
    seen_.emplace(hash, objects_.size());
    objects_.push_back(object);
    return false;
  }

  bool WriteObject(v8::Local<v8::Object> object) {
    if (object->IsFunction()) return WriteCallable(object, FunctionPort::Kind::kFunction);
    if (object->IsProxy()) return state_.Refuse(DescribeKind(object));
    if (object->IsPromise() && port_.ExportsPromises()) {
      return WriteCallable(object, FunctionPort::Kind::kPromise);
    }
    if (WriteReference(object)) return state_.CheckSize();
    if (!state_.Enter() || !state_.HasStack()) return false;
    if (!WriteContents(object)) return false;
    state_.Leave();
    return state_.CheckSize();
  }

  bool WriteContents(v8::Local<v8::Object> object) {
    if (object->IsArray()) return WriteArray(object.As<v8::Array>());
    if (object->IsMap()) return WriteEntries(Tag::kMap, object.As<v8::Map>()->AsArray());
    if (object->IsSet()) return WriteEntries(Tag::kSet, object.As<v8::Set>()->AsArray());
    if (object->IsDate()) {
      Put(Tag::kDate);
      PutRaw(object.As<v8::Date>()->ValueOf());
      return true;
    }
    if (object->IsRegExp()) {
      Put(Tag::kRegExp);
      PutVarint(static_cast<uint64_t>(object.As<v8::RegExp>()->GetFlags()));
      WriteString(object.As<v8::RegExp>()->GetSource());
      return true;
    }
    if (object->IsArrayBuffer()) return WriteBuffer(object.As<v8::ArrayBuffer>());
    if (object->IsArrayBufferView()) return WriteView(object.As<v8::ArrayBufferView>());
    if (!state_.IsPlain(object)) return state_.Refuse(DescribeKind(object));
    return WritePlain(object);
  }

  bool WriteCallable(v8::Local<v8::Object> object, FunctionPort::Kind kind) {
    if (WriteReference(object)) return state_.CheckSize();
    FunctionSlot slot = 0;
    if (!port_.Export(object, kind, slot)) return state_.Refuse("is one function too many");
    Put(kind == FunctionPort::Kind::kFunction ? Tag::kFunction : Tag::kPromise);
    PutVarint(slot);
    return state_.CheckSize();
  }

  bool WriteBuffer(v8::Local<v8::ArrayBuffer> buffer) {
    Put(Tag::kArrayBuffer);
    const size_t length = buffer->ByteLength();
    if (!state_.HasRoomFor(length)) return false;
    PutVarint(length);
    if (length > 0) out_.append(static_cast<const char*>(buffer->Data()), length);
    return true;
  }

  // Only the bytes in view cross: a host's view may be a window on memory it shares with others.
  bool WriteView(v8::Local<v8::ArrayBufferView> view) {
    if (view->Buffer()->IsSharedArrayBuffer()) return state_.Refuse("is shared memory");
    const auto type = TypeOf(view);
    if (!type) return state_.Refuse("is a typed array of a kind that cannot cross");
    Put(Tag::kView);
    out_.push_back(static_cast<char>(*type));
    const size_t length = view->ByteLength();
    if (!state_.HasRoomFor(length)) return false;
    PutVarint(length);
    const size_t start = out_.size();
    out_.resize(start + length);
    const size_t copied = view->CopyContents(out_.data() + start, length);
    std::memset(out_.data() + start + copied, 0, length - copied);
    return true;
  }

  static std::optional<ViewType> TypeOf(v8::Local<v8::ArrayBufferView> view) {
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
    if (platform::IsFloat16Array(view)) return ViewType::kFloat16;
    return std::nullopt;
  }

  bool WriteEntries(Tag tag, v8::Local<v8::Array> entries) {
    Put(tag);
    const uint32_t length = entries->Length();
    for (uint32_t i = 0; i < length; ++i) {
      v8::Local<v8::Value> entry;
      if (!entries->Get(state_.context, i).ToLocal(&entry)) return state_.Threw();
      if (!Write(entry)) return state_.FailedAt(i);
    }
    Put(Tag::kEnd);
    return true;
  }

  v8::MaybeLocal<v8::Array> OwnKeys(v8::Local<v8::Object> object) const {
    constexpr auto kFilter =
        static_cast<v8::PropertyFilter>(v8::ONLY_ENUMERABLE | v8::SKIP_SYMBOLS);
    return object->GetOwnPropertyNames(state_.context, kFilter,
                                       v8::KeyConversionMode::kConvertToString);
  }

  bool WritePlain(v8::Local<v8::Object> object) {
    v8::Local<v8::Array> keys;
    if (!OwnKeys(object).ToLocal(&keys)) return state_.Threw();
    Put(Tag::kObject);
    const uint32_t count = keys->Length();
    for (uint32_t i = 0; i < count; ++i) {
      v8::Local<v8::Value> key;
      v8::Local<v8::Value> value;
      if (!keys->Get(state_.context, i).ToLocal(&key) ||
          !object->Get(state_.context, key).ToLocal(&value)) {
        return state_.Threw();
      }
      WriteString(key.As<v8::String>());
      if (!Write(value)) return state_.FailedAt(key);
    }
    Put(Tag::kEnd);
    return true;
  }

  bool WriteArray(v8::Local<v8::Array> array) {
    const uint32_t length = array->Length();
    if (length > kDenseLength) {
      v8::Local<v8::Array> keys;
      if (!OwnKeys(array).ToLocal(&keys)) return state_.Threw();
      if (keys->Length() < length / 2) return WriteSparse(array, keys);
    }
    Put(Tag::kArray);
    PutVarint(length);
    for (uint32_t i = 0; i < length; ++i) {
      v8::Local<v8::Value> element;
      if (!array->Get(state_.context, i).ToLocal(&element)) return state_.Threw();
      if (element->IsUndefined() && !array->HasOwnProperty(state_.context, i).FromMaybe(true)) {
        Put(Tag::kHole);
        if (!state_.CheckSize()) return false;
      } else if (!Write(element)) {
        return state_.FailedAt(i);
      }
    }
    return true;
  }

  bool WriteSparse(v8::Local<v8::Array> array, v8::Local<v8::Array> keys) {
    Put(Tag::kSparseArray);
    PutVarint(array->Length());
    for (uint32_t i = 0; i < keys->Length(); ++i) {
      v8::Local<v8::Value> key;
      v8::Local<v8::Uint32> index;
      v8::Local<v8::Value> element;
      if (!keys->Get(state_.context, i).ToLocal(&key)) return state_.Threw();
      if (!key->ToArrayIndex(state_.context).ToLocal(&index)) continue;
      if (!array->Get(state_.context, index->Value()).ToLocal(&element)) return state_.Threw();
      Put(Tag::kInt32);
      PutVarint(index->Value());
      if (!Write(element)) return state_.FailedAt(index->Value());
    }
    Put(Tag::kEnd);
    return true;
  }

  // Arrays up to this length are written element by element without asking how full they are.
  static constexpr uint32_t kDenseLength = 1024;

  EncodeState state_;
  std::string& out_;
  FunctionPort& port_;
  std::unordered_multimap<int, size_t> seen_;
  std::vector<v8::Local<v8::Object>> objects_;
  std::vector<uint16_t> units_;
};

}  // namespace

EncodeResult EncodeClone(v8::Local<v8::Context> context, v8::Local<v8::Value> value,
                         const CodecLimits& limits, const StopLatch* stop, FunctionPort& port,
                         Payload& out) {
  const v8::HandleScope scope(v8::Isolate::GetCurrent());
  return CloneEncoder(context, limits, stop, port, out.bytes).Run(value);
}

}  // namespace isobox
