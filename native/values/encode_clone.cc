#include <cmath>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "native/values/encode_support.h"
#include "native/values/typed_views.h"
#include "native/values/wire.h"

namespace isobox {
namespace {

using wire::Tag;

class CloneEncoder {
 public:
  CloneEncoder(v8::Local<v8::Context> context, const CodecLimits& limits, const StopLatch* stop,
               FunctionPort& port, Payload& out)
      : state_(context, limits, stop, out.bytes), payload_(out), out_(out.bytes), port_(port) {}

  EncodeResult Run(v8::Local<v8::Value> value) {
    const bool ok = Write(value);
    payload_.cost = state_.cost();
    return state_.Finish(ok);
  }

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
      const size_t start = out_.size();
      WriteString(value.As<v8::String>());
      state_.Charge(value_cost::String(out_.size() - start));
    } else if (value->IsInt32()) {
      const auto number = value.As<v8::Int32>()->Value();
      Put(Tag::kInt32);
      PutVarint((static_cast<uint32_t>(number) << 1U) ^ static_cast<uint32_t>(number >> 31));
    } else if (value->IsNumber()) {
      Put(Tag::kDouble);
      PutRaw(value.As<v8::Number>()->Value());
      state_.Charge(value_cost::kNumber);
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
    state_.Charge(value_cost::kNumber);
    state_.Charge(value_cost::Copy(words.size() * sizeof(uint64_t)));
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
      EncodeState::Reserve(length, out_);
      state_.Append<char>(string, out_);
      return;
    }
    v8_api::ReadTwoByte(state_.isolate, string, units_);
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
      payload_.has_references = true;
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
    if (!state_.Enter(CostOf(object)) || !state_.HasStack()) return false;
    if (!WriteContents(object)) return false;
    state_.Leave();
    return state_.CheckSize();
  }

  // Without what is inside.
  static ValueCost CostOf(v8::Local<v8::Object> object) {
    if (object->IsArray()) return value_cost::kArray;
    if (object->IsMap()) return value_cost::kMap;
    if (object->IsSet()) return value_cost::kSet;
    if (object->IsDate()) return value_cost::kDate;
    if (object->IsRegExp()) return value_cost::kRegExp;
    if (object->IsArrayBuffer()) return value_cost::kBuffer;
    if (object->IsArrayBufferView()) return value_cost::kView;
    return value_cost::kObject;
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
      // V8 parses it in one go.
      constexpr int kLongestSource = 1 << 16;
      const auto source = object.As<v8::RegExp>()->GetSource();
      if (source->Length() > kLongestSource) {
        return state_.Refuse("is a regular expression of more than 65536 characters");
      }
      WriteString(source);
      state_.Charge(value_cost::RegExpSource(static_cast<size_t>(source->Length())));
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
    state_.Charge(value_cost::kFunction);
    Put(kind == FunctionPort::Kind::kFunction ? Tag::kFunction : Tag::kPromise);
    PutVarint(slot);
    return state_.CheckSize();
  }

  bool WriteBuffer(v8::Local<v8::ArrayBuffer> buffer) {
    Put(Tag::kArrayBuffer);
    const size_t length = buffer->ByteLength();
    if (!state_.HasRoomFor(length)) return false;
    state_.Charge(value_cost::Copy(length));
    PutVarint(length);
    if (length > 0) out_.append(static_cast<const char*>(buffer->Data()), length);
    return true;
  }

  // Only the bytes in view cross: a host's view may be a window on memory it shares with others.
  bool WriteView(v8::Local<v8::ArrayBufferView> view) {
    if (view->Buffer()->IsSharedArrayBuffer()) return state_.Refuse("is shared memory");
    const auto type = typed_views::TypeOf(view);
    if (!type) return state_.Refuse("is a typed array of an unknown kind");
    Put(Tag::kView);
    out_.push_back(static_cast<char>(*type));
    const size_t length = view->ByteLength();
    if (!state_.HasRoomFor(length)) return false;
    state_.Charge(value_cost::Copy(length));
    PutVarint(length);
    const size_t start = out_.size();
    out_.resize(start + length);
    const size_t copied = view->CopyContents(out_.data() + start, length);
    std::memset(out_.data() + start + copied, 0, length - copied);
    return true;
  }

  bool WriteEntries(Tag tag, v8::Local<v8::Array> entries) {
    Put(tag);
    const uint32_t length = entries->Length();
    for (uint32_t i = 0; i < length; ++i) {
      v8::Local<v8::Value> entry;
      if (!entries->Get(state_.context, i).ToLocal(&entry)) return state_.Threw();
      state_.Charge(value_cost::kEntry);
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
    uint64_t shape = value_cost::ShapeCosts::kNoShape;
    for (uint32_t i = 0; i < count; ++i) {
      v8::Local<v8::Value> key;
      v8::Local<v8::Value> value;
      if (!keys->Get(state_.context, i).ToLocal(&key) ||
          !object->Get(state_.context, key).ToLocal(&value)) {
        return state_.Threw();
      }
      const auto name = key.As<v8::String>();
      if (IsThen(name, value)) {
        return state_.Refuse("has a function then, like a promise: await it first");
      }
      if (!state_.ChargeProperty(shape, static_cast<uint32_t>(name->GetIdentityHash()),
                                 static_cast<size_t>(name->Length()), i)) {
        return false;
      }
      WriteString(name);
      if (!Write(value)) return state_.FailedAt(key);
    }
    Put(Tag::kEnd);
    return true;
  }

  // Whoever awaited an object with such a property would call it and wait for what it may never do.
  // Where promises cross, what is like one may too.
  bool IsThen(v8::Local<v8::String> key, v8::Local<v8::Value> value) const {
    return value->IsFunction() && !port_.ExportsPromises() &&
           key->StringEquals(Intern(state_.isolate, "then"));
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
    state_.Charge({.bytes = uint64_t{length} * value_cost::kElement.bytes, .ns = 0});
    for (uint32_t i = 0; i < length; ++i) {
      v8::Local<v8::Value> element;
      state_.Charge({.bytes = 0, .ns = value_cost::kElement.ns});
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
      state_.Charge(value_cost::kEntry);  // V8 keeps such elements in a table
      if (!Write(element)) return state_.FailedAt(index->Value());
    }
    Put(Tag::kEnd);
    return true;
  }

  // Arrays up to this length are written element by element without asking how full they are.
  static constexpr uint32_t kDenseLength = 1024;

  EncodeState state_;
  Payload& payload_;
  std::string& out_;  // the payload's
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
  return CloneEncoder(context, limits, stop, port, out).Run(value);
}

}  // namespace isobox
