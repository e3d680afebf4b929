#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "native/values/typed_views.h"
#include "native/values/value_codec.h"
#include "native/values/wire_cursor.h"

namespace isobox {
namespace {

using wire::Tag;
using MaybeValue = v8::MaybeLocal<v8::Value>;

// Arrays, objects, maps and sets are made one inside the other on a stack of our own, so that this
// can stop at any value and go on later. Handles that must outlive a step become globals meanwhile.
class CloneReader final : public ValueReader {
 public:
  explicit CloneReader(Payload&& payload)
      : payload_(std::move(payload)), in_(payload_.bytes), isolate_(v8::Isolate::GetCurrent()) {}

  Progress Step(v8::Local<v8::Context> context, FunctionPort& port,
                BufferSource& buffers) override {
    constexpr size_t kValuesPerStep = 512;
    const v8::HandleScope scope(isolate_);
    Enter(context, port, buffers);
    const Progress progress = Read(kValuesPerStep);
    for (Frame& frame : frames_) {
      frame.kept.Reset(isolate_, frame.object);
      frame.kept_key.Reset(isolate_, frame.key);
    }
    kept_objects_.Reset(isolate_, objects_);
    if (progress == Progress::kDone) kept_result_.Reset(isolate_, result_);
    return progress;
  }

  v8::Local<v8::Value> Result() override { return kept_result_.Get(isolate_); }

  // All at once.
  MaybeValue ReadAll(v8::Local<v8::Context> context, FunctionPort& port, BufferSource& buffers) {
    Enter(context, port, buffers);
    if (Read(SIZE_MAX) != Progress::kDone) return {};
    return result_;
  }

 private:
  // The encoder's own limit is far below; this only keeps bad bytes from exhausting memory.
  static constexpr size_t kMaxDepth = 4000;

  // What is being made.
  struct Frame {
    Tag tag = Tag::kObject;
    v8::Local<v8::Object> object;
    v8::Local<v8::Value> key;  // of the next value, where one was read
    uint64_t index = 0;        // arrays: of the next value
    uint64_t length = 0;       // arrays
    v8::Global<v8::Object> kept;
    v8::Global<v8::Value> kept_key;
  };

  void Enter(v8::Local<v8::Context> context, FunctionPort& port, BufferSource& buffers) {
    context_ = context;
    port_ = &port;
    buffers_ = &buffers;
    for (Frame& frame : frames_) {
      frame.object = frame.kept.Get(isolate_);
      frame.key = frame.kept_key.Get(isolate_);
    }
    if (!payload_.has_references) return;
    objects_ = kept_objects_.IsEmpty() ? v8::Array::New(isolate_) : kept_objects_.Get(isolate_);
  }

  Progress Read(size_t values) {
    for (size_t i = 0; i < values; ++i) {
      v8::Local<v8::Value> value;
      switch (frames_.empty() ? ReadValue(value) : ReadNext(frames_.back(), value)) {
        case Found::kNothing:
          return Progress::kFailed;
        case Found::kBeginning:
          continue;
        case Found::kValue:
          break;
      }
      if (frames_.empty()) {
        result_ = value;
        return in_.left() == 0 ? Progress::kDone : Progress::kFailed;
      }
      if (!Add(frames_.back(), value)) return Progress::kFailed;
    }
    return Progress::kMore;
  }

  // What was read: bad bytes, the beginning or a part of something larger, or a complete value.
  enum class Found : uint8_t { kNothing, kBeginning, kValue };

  // The next value for this frame, or its own object when it is complete.
  Found ReadNext(Frame& frame, v8::Local<v8::Value>& value) {
    switch (frame.tag) {
      case Tag::kArray:
        if (frame.index == frame.length) return Finish(value);
        if (in_.TakeIf(Tag::kHole)) {
          frame.index += 1;
          return Found::kBeginning;
        }
        break;
      case Tag::kSparseArray: {
        if (in_.TakeIf(Tag::kEnd)) return Finish(value);
        const auto marker = in_.Byte();
        const auto index = in_.Varint();
        if (!marker || !index || *index >= frame.length) return Found::kNothing;
        frame.index = *index;
        break;
      }
      case Tag::kObject: {
        if (in_.TakeIf(Tag::kEnd)) return Finish(value);
        v8::Local<v8::String> key;
        if (!ReadKey().ToLocal(&key)) return Found::kNothing;
        frame.key = key;
        break;
      }
      default:
        if (frame.key.IsEmpty() && in_.TakeIf(Tag::kEnd)) return Finish(value);
        break;
    }
    return ReadValue(value);
  }

  Found Finish(v8::Local<v8::Value>& value) {
    value = frames_.back().object;
    frames_.pop_back();
    return Found::kValue;
  }

  bool Add(Frame& frame, v8::Local<v8::Value> value) {
    switch (frame.tag) {
      case Tag::kArray:
      case Tag::kSparseArray:
        return frame.object
            ->CreateDataProperty(context_, static_cast<uint32_t>(frame.index++), value)
            .FromMaybe(false);
      case Tag::kObject:
        // A data property whatever its name: __proto__ is a key like any other.
        return frame.object->CreateDataProperty(context_, frame.key.As<v8::Name>(), value)
            .FromMaybe(false);
      case Tag::kSet:
        return !frame.object.As<v8::Set>()->Add(context_, value).IsEmpty();
      default:
        if (frame.key.IsEmpty()) {
          frame.key = value;
          return true;
        }
        if (frame.object.As<v8::Map>()->Set(context_, frame.key, value).IsEmpty()) return false;
        frame.key.Clear();
        return true;
    }
  }

  Found ReadValue(v8::Local<v8::Value>& value) {
    const auto byte = in_.Byte();
    if (!byte) return Found::kNothing;
    const auto tag = static_cast<Tag>(*byte);
    switch (tag) {
      case Tag::kObject:
        return Begin(tag, v8::Object::New(isolate_), 0);
      case Tag::kMap:
        return Begin(tag, v8::Map::New(isolate_), 0);
      case Tag::kSet:
        return Begin(tag, v8::Set::New(isolate_), 0);
      case Tag::kArray: {
        const auto length = in_.Varint();
        if (!length || *length > in_.left()) return Found::kNothing;
        return Begin(tag, v8::Array::New(isolate_, static_cast<int>(*length)), *length);
      }
      case Tag::kSparseArray:
        return BeginSparseArray();
      default:
        return ReadLeaf(tag).ToLocal(&value) ? Found::kValue : Found::kNothing;
    }
  }

  Found Begin(Tag tag, v8::Local<v8::Object> object, uint64_t length) {
    if (frames_.size() >= kMaxDepth) return Found::kNothing;
    Frame& frame = frames_.emplace_back();
    frame.tag = tag;
    frame.object = Number(object);
    frame.length = length;
    return Found::kBeginning;
  }

  Found BeginSparseArray() {
    const auto length = in_.Varint();
    if (!length || *length > UINT32_MAX) return Found::kNothing;
    const auto array = v8::Array::New(isolate_);
    const auto name = v8::String::NewFromUtf8Literal(isolate_, "length");
    if (array->Set(context_, name, v8::Number::New(isolate_, static_cast<double>(*length)))
            .IsNothing()) {
      return Found::kNothing;
    }
    return Begin(Tag::kSparseArray, array, *length);
  }

  // A value without others inside.
  MaybeValue ReadLeaf(Tag tag) {
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
        const auto number = in_.Fixed<double>();
        if (!number) return {};
        return v8::Number::New(isolate_, *number).As<v8::Value>();
      }
      case Tag::kBigInt:
        return ReadBigInt();
      case Tag::kOneByteString:
      case Tag::kTwoByteString:
        return Widen(ReadString(tag));
      case Tag::kDate:
        return ReadDate();
      case Tag::kRegExp:
        return ReadRegExp();
      case Tag::kArrayBuffer:
        return ReadBuffer();
      case Tag::kView:
        return ReadView();
      case Tag::kReference: {
        const auto index = in_.Varint();
        if (!index || *index >= numbered_ || objects_.IsEmpty()) return {};
        return objects_->Get(context_, static_cast<uint32_t>(*index));
      }
      case Tag::kFunction:
        return ReadCallable(FunctionPort::Kind::kFunction);
      case Tag::kPromise:
        return ReadCallable(FunctionPort::Kind::kPromise);
      default:
        return {};
    }
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
    if (!objects_.IsEmpty()) {
      objects_->CreateDataProperty(context_, numbered_++, object).FromMaybe(false);
    }
    return object;
  }

  MaybeValue ReadInt32() {
    const auto raw = in_.Varint();
    if (!raw) return {};
    const auto zigzag = static_cast<uint32_t>(*raw);
    return v8::Integer::New(isolate_, static_cast<int32_t>((zigzag >> 1U) ^ (~(zigzag & 1U) + 1U)))
        .As<v8::Value>();
  }

  MaybeValue ReadBigInt() {
    const auto sign = in_.Byte();
    const auto count = in_.Varint();
    if (!sign || !count) return {};
    const auto raw = in_.Raw(*count <= in_.left() ? *count * sizeof(uint64_t) : UINT64_MAX);
    if (!raw) return {};
    std::vector<uint64_t> words(*count);
    if (!words.empty()) std::memcpy(words.data(), raw->data(), raw->size());
    return Widen(v8::BigInt::NewFromWords(context_, *sign, static_cast<int>(*count), words.data()));
  }

  v8::MaybeLocal<v8::String> ReadString(Tag tag) {
    const auto length = in_.Varint();
    if (!length || *length > static_cast<uint64_t>(v8::String::kMaxLength)) return {};
    if (tag == Tag::kOneByteString) {
      const auto raw = in_.Raw(*length);
      if (!raw) return {};
      return v8::String::NewFromOneByte(isolate_, reinterpret_cast<const uint8_t*>(raw->data()),
                                        v8::NewStringType::kNormal, static_cast<int>(*length));
    }
    const auto raw = in_.Raw(*length * sizeof(uint16_t));
    if (!raw) return {};
    std::vector<uint16_t> units(*length);  // the bytes may be unaligned
    if (!units.empty()) std::memcpy(units.data(), raw->data(), raw->size());
    return v8::String::NewFromTwoByte(isolate_, units.data(), v8::NewStringType::kNormal,
                                      static_cast<int>(*length));
  }

  v8::MaybeLocal<v8::String> ReadKey() {
    const auto byte = in_.Byte();
    if (!byte) return {};
    const auto tag = static_cast<Tag>(*byte);
    if (tag != Tag::kOneByteString && tag != Tag::kTwoByteString) return {};
    return ReadString(tag);
  }

  MaybeValue ReadDate() {
    const auto time = in_.Fixed<double>();
    v8::Local<v8::Value> date;
    if (!time || !v8::Date::New(context_, *time).ToLocal(&date)) return {};
    return Number(date.As<v8::Object>()).As<v8::Value>();
  }

  MaybeValue ReadRegExp() {
    const auto flags = in_.Varint();
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
    const auto length = in_.Varint();
    const auto raw = length ? in_.Raw(*length) : std::nullopt;
    if (!raw) return {};
    auto store = buffers_->Allocate(raw->size());
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
    const auto type = in_.Byte();
    v8::Local<v8::ArrayBuffer> buffer;
    v8::Local<v8::Object> view;
    if (!type || !ReadBytes().ToLocal(&buffer) ||
        !typed_views::New(static_cast<wire::ViewType>(*type), buffer).ToLocal(&view)) {
      return {};
    }
    return Number(view).As<v8::Value>();
  }

  MaybeValue ReadCallable(FunctionPort::Kind kind) {
    const auto slot = in_.Varint();
    v8::Local<v8::Value> callable;
    if (!slot || *slot > UINT32_MAX ||
        !port_->Import(static_cast<FunctionSlot>(*slot), kind).ToLocal(&callable) ||
        !callable->IsObject()) {
      return {};
    }
    return Number(callable.As<v8::Object>()).As<v8::Value>();
  }

  const Payload payload_;
  WireCursor in_;
  v8::Isolate* const isolate_;
  std::vector<Frame> frames_;
  uint32_t numbered_ = 0;
  v8::Global<v8::Array> kept_objects_;
  v8::Global<v8::Value> kept_result_;

  // While a step is under way.
  v8::Local<v8::Context> context_;
  FunctionPort* port_ = nullptr;
  BufferSource* buffers_ = nullptr;
  v8::Local<v8::Array> objects_;  // by number, where references to them follow
  v8::Local<v8::Value> result_;
};

}  // namespace

std::unique_ptr<ValueReader> ReadClone(Payload&& payload) {
  return std::make_unique<CloneReader>(std::move(payload));
}

v8::MaybeLocal<v8::Value> DecodeClone(v8::Local<v8::Context> context, Payload&& payload,
                                      FunctionPort& port, BufferSource& buffers) {
  v8::EscapableHandleScope scope(v8::Isolate::GetCurrent());
  v8::Local<v8::Value> value;
  if (!CloneReader(std::move(payload)).ReadAll(context, port, buffers).ToLocal(&value)) return {};
  return scope.Escape(value);
}

}  // namespace isobox
