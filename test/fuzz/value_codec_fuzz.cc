// Any bytes decode to a value or to nothing. What a value is encoded to decodes to a value that is
// encoded the same; limits hold, to the byte; V8's own JSON agrees.
//
// The first byte of an input says what the others are: 'c' a value of the clone profile, 'g' the
// same where promises do not cross, 'j' JSON, 'n' the end of a long JSON text, 'm' JSON behind marks.

#include <node.h>
#include <node_buffer.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "native/values/value_codec.h"
#include "test/fuzz/in_node.h"

namespace {

using isobox::CodecLimits;
using isobox::EncodeStatus;
using isobox::Payload;
using isobox::ValueProfile;

// The first byte: two values, and two bits of all others, so that any byte will do.
constexpr std::uint8_t kLongJson = 'n';
constexpr std::uint8_t kMarkedJson = 'm';
constexpr std::uint8_t kIsClone = 0x01;
constexpr std::uint8_t kHasNoPromises = 0x04;

constexpr std::uint64_t kMaxCloneBytes = 8U << 10U;   // a few bytes can make a large array
constexpr std::uint64_t kMaxJsonBytes = 128U << 10U;  // more than any input makes
constexpr std::uint32_t kMaxDepth = 200;              // so that sanitized code has stack for it
constexpr std::size_t kMaxBufferBytes = 2048;         // of all ArrayBuffers in a value
constexpr std::size_t kLongLength = 33U << 10U;       // a text that V8 uses in place

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

ValueProfile ProfileOf(std::uint8_t first) {
  return (first & kIsClone) != 0 ? ValueProfile::kClone : ValueProfile::kJson;
}

// The same few functions and promises for all inputs.
class Slots final : public isobox::FunctionPort {
 public:
  Slots() {
    v8::Isolate* const isolate = v8::Isolate::GetCurrent();
    const auto context = isolate->GetCurrentContext();
    const auto nothing = [](const v8::FunctionCallbackInfo<v8::Value>& /*info*/) {};
    for (auto& function : functions_) {
      function.Reset(isolate, v8::Function::New(context, nothing).ToLocalChecked());
    }
    for (auto& promise : promises_) {
      promise.Reset(isolate, v8::Promise::Resolver::New(context).ToLocalChecked()->GetPromise());
    }
  }

  void set_exports_promises(bool exports_promises) { exports_promises_ = exports_promises; }
  bool ExportsPromises() const override { return exports_promises_; }

  bool Export(v8::Local<v8::Object> callable, Kind kind, isobox::FunctionSlot& slot) override {
    slot = 0;
    for (const auto& known : TableOf(kind)) {
      if (known == callable) return true;
      slot += 1;
    }
    Require(false);  // nobody but Import makes callables
    return false;
  }

  v8::MaybeLocal<v8::Value> Import(isobox::FunctionSlot slot, Kind kind) override {
    const Table& table = TableOf(kind);
    if (slot >= table.size()) return {};
    return table.at(slot).Get(v8::Isolate::GetCurrent());
  }

 private:
  using Table = std::array<v8::Global<v8::Object>, 64>;

  const Table& TableOf(Kind kind) const { return kind == Kind::kFunction ? functions_ : promises_; }

  Table functions_;
  Table promises_;
  bool exports_promises_ = true;
};

// Memory of which there is little, as in a guest near its limit.
class SmallBuffers final : public isobox::BufferSource {
 public:
  std::unique_ptr<v8::BackingStore> Allocate(std::size_t bytes) override {
    if (bytes > room_) return nullptr;
    room_ -= bytes;
    void* const data = std::malloc(bytes > 0 ? bytes : 1);
    return v8::ArrayBuffer::NewBackingStore(
        data, bytes,
        [](void* memory, std::size_t /*length*/, void* /*unused*/) { std::free(memory); }, nullptr);
  }

 private:
  std::size_t room_ = kMaxBufferBytes;
};

class Account final : public isobox::MemoryAccount {
 public:
  void ReportNative(int64_t change) override { bytes_ += change; }

 private:
  int64_t bytes_ = 0;
};

class Codec {
 public:
  // `first` is the first byte of the input.
  explicit Codec(std::uint8_t first)
      : isolate_(v8::Isolate::GetCurrent()),
        context_(isolate_->GetCurrentContext()),
        max_bytes_(ProfileOf(first) == ValueProfile::kClone ? kMaxCloneBytes : kMaxJsonBytes) {
    slots_.set_exports_promises((first & kHasNoPromises) == 0);
  }

  v8::MaybeLocal<v8::Value> Decode(ValueProfile profile, Payload payload) {
    const v8::TryCatch failure(isolate_);
    SmallBuffers buffers;
    const auto value = profile == ValueProfile::kJson
                           ? isobox::DecodeJson(context_, std::move(payload), account_)
                           : isobox::DecodeClone(context_, std::move(payload), slots_, buffers);
    Require(value.IsEmpty() || !failure.HasCaught());
    return value;
  }

  // In steps, as a host does that has others to serve.
  v8::MaybeLocal<v8::Value> DecodeInSteps(ValueProfile profile, Payload payload) {
    using isobox::ValueReader;
    const v8::TryCatch failure(isolate_);
    SmallBuffers buffers;
    const auto reader = profile == ValueProfile::kJson
                            ? isobox::ReadMarkedJson(std::move(payload), account_, {})
                            : isobox::ReadClone(std::move(payload));
    auto progress = ValueReader::Progress::kMore;
    while (progress == ValueReader::Progress::kMore)
      progress = reader->Step(context_, slots_, buffers);
    if (progress == ValueReader::Progress::kFailed) return {};
    return reader->Result();
  }

  // Nothing when the value cannot cross.
  std::optional<Payload> Encode(ValueProfile profile, v8::Local<v8::Value> value,
                                isobox::PieceSize piece = {}) {
    Payload payload;
    const CodecLimits limits{.max_bytes = max_bytes_, .max_depth = kMaxDepth, .piece = piece};
    if (EncodeWithin(limits, profile, value, payload) != EncodeStatus::kOk) return std::nullopt;
    return payload;
  }

  // As Encode, and checks what must hold of the payload.
  std::optional<Payload> EncodeStably(ValueProfile profile, v8::Local<v8::Value> value) {
    const auto payload = Encode(profile, value);
    if (!payload) return std::nullopt;
    v8::Local<v8::Value> decoded;
    Require(Decode(profile, *payload).ToLocal(&decoded));
    const std::size_t size = payload->size();
    Payload again;
    Require(EncodeWithin({.max_bytes = size}, profile, decoded, again) == EncodeStatus::kOk);
    Require(again.bytes == payload->bytes && again.long_texts == payload->long_texts);
    Require(profile == ValueProfile::kJson || again.has_references == payload->has_references);
    if (size > 0) {
      Require(IsTooLarge({.max_bytes = size - 1}, profile, decoded));
      Require(IsTooLarge({.max_bytes = size / 2}, profile, decoded));
    }
    const bool is_counted = decoded->IsObject() && !decoded->IsFunction() && !decoded->IsPromise();
    Require(IsTooLarge({.max_objects = 0}, profile, decoded) == is_counted);
    if (is_counted) {
      Require(payload->cost.bytes > 0 && payload->cost.ns > 0);
      Require(IsTooLarge({.max_cost = {.bytes = 0, .ns = isobox::kUnlimited}}, profile, decoded));
    }
    return payload;
  }

  // The same value comes of it in steps, however small its pieces are.
  void CompareInSteps(ValueProfile profile, v8::Local<v8::Value> value, const Payload& whole) {
    for (const std::size_t bytes : {1, 5, 64}) {
      const auto payload = Encode(profile, value, {.bytes = bytes});
      Require(payload && payload->bytes == whole.bytes);
      if (profile == ValueProfile::kJson && payload->marks.empty()) return;
      v8::Local<v8::Value> decoded;
      Require(DecodeInSteps(profile, *payload).ToLocal(&decoded));
      const auto again = Encode(profile, decoded);
      Require(again && again->bytes == whole.bytes && again->long_texts == whole.long_texts);
    }
  }

  // V8 reads in our text what it sees in the value.
  void CompareWithV8(v8::Local<v8::Value> value, const Payload& payload) {
    const std::string& json = payload.bytes;
    if (json.empty() || !payload.long_texts.empty()) return;  // undefined, or not all of it
    v8::Local<v8::String> text;
    v8::Local<v8::Value> parsed;
    Require(v8::String::NewFromUtf8(isolate_, json.data(), v8::NewStringType::kNormal,
                                    static_cast<int>(json.size()))
                .ToLocal(&text));
    Require(v8::JSON::Parse(context_, text).ToLocal(&parsed));
    v8::Local<v8::String> expected;
    Require(v8::JSON::Stringify(context_, value).ToLocal(&expected));
    Require(v8::JSON::Stringify(context_, parsed).ToLocal(&text));
    Require(text->StringEquals(expected));
  }

 private:
  bool IsTooLarge(const CodecLimits& limits, ValueProfile profile, v8::Local<v8::Value> value) {
    Payload payload;
    return EncodeWithin(limits, profile, value, payload) == EncodeStatus::kTooLarge;
  }

  // A decoded value has no getters: nothing throws.
  EncodeStatus EncodeWithin(const CodecLimits& limits, ValueProfile profile,
                            v8::Local<v8::Value> value, Payload& out) {
    const v8::TryCatch failure(isolate_);
    const isobox::EncodeResult result =
        profile == ValueProfile::kJson
            ? isobox::EncodeJson(context_, value, limits, nullptr, out)
            : isobox::EncodeClone(context_, value, limits, nullptr, slots_, out);
    Require(result.status != EncodeStatus::kThrew && !failure.HasCaught());
    Require(result.ok() == result.message.empty());
    return result.status;
  }

  static Slots& SharedSlots() {
    static auto* const slots = new Slots();
    return *slots;
  }

  v8::Isolate* isolate_;
  v8::Local<v8::Context> context_;
  Slots& slots_ = SharedSlots();
  const std::uint64_t max_bytes_;
  const std::shared_ptr<isobox::MemoryAccount> account_ = std::make_shared<Account>();
};

void TryClone(Codec& codec, std::string bytes) {
  v8::Local<v8::Value> value;
  const Payload payload{.bytes = std::move(bytes), .has_references = true};
  const bool is_value = codec.Decode(ValueProfile::kClone, payload).ToLocal(&value);
  Require(codec.DecodeInSteps(ValueProfile::kClone, payload).IsEmpty() != is_value);
  if (!is_value) return;
  if (const auto clone = codec.EncodeStably(ValueProfile::kClone, value)) {
    codec.CompareInSteps(ValueProfile::kClone, value, *clone);
  }
  const auto json = codec.EncodeStably(ValueProfile::kJson, value);
  if (!json) return;
  codec.CompareWithV8(value, *json);
  codec.CompareInSteps(ValueProfile::kJson, value, *json);
}

// Marked bytes can be a string of two bytes for characters that need one, which other bytes then
// stand for as soon as V8 has copied it.
bool IsWiderThanNeeded(v8::Local<v8::Value> value) {
  if (!value->IsString()) return false;
  const auto string = value.As<v8::String>();
  return !string->IsOneByte() && string->ContainsOnlyOneByte();
}

// What crosses as JSON also crosses as a clone, and is still the same JSON.
void TryJson(Codec& codec, std::string bytes) {
  v8::Local<v8::Value> value;
  if (!codec.Decode(ValueProfile::kJson, {.bytes = std::move(bytes)}).ToLocal(&value)) return;
  if (IsWiderThanNeeded(value)) return;
  const auto json = codec.EncodeStably(ValueProfile::kJson, value);
  if (!json) return;
  codec.CompareWithV8(value, *json);
  codec.CompareInSteps(ValueProfile::kJson, value, *json);
  const auto clone = codec.EncodeStably(ValueProfile::kClone, value);
  Require(clone.has_value());
  v8::Local<v8::Value> copy;
  Require(codec.Decode(ValueProfile::kClone, *clone).ToLocal(&copy));
  const auto again = codec.Encode(ValueProfile::kJson, copy);
  Require(again && again->bytes == json->bytes);
}

// Marks that no encoder made: a count, and for each three bytes. Nothing, or a value comes of it.
void TryMarkedJson(Codec& codec, const std::string& input) {
  constexpr std::size_t kKinds = 4;
  constexpr std::size_t kMarkBytes = 3;
  Payload payload;
  std::size_t at = 1;
  const auto byte = [&input](std::size_t i) { return static_cast<std::uint8_t>(input[i]); };
  const std::size_t count = input.empty() ? 0 : byte(0);
  for (std::size_t i = 0; i < count && at + kMarkBytes <= input.size(); ++i, at += kMarkBytes) {
    payload.marks.push_back({.kind = static_cast<isobox::TextMark::Kind>(byte(at) % kKinds),
                             .at = byte(at + 1),
                             .child = byte(at + 2),
                             .text = byte(at) / kKinds});
  }
  payload.bytes = input.substr(std::min(at, input.size()));
  payload.long_texts = {std::string(1, '\1') + "one", std::string(2, '\2') + "two!", "", "bad"};
  v8::Local<v8::Value> value;
  const bool is_value = codec.DecodeInSteps(ValueProfile::kJson, payload).ToLocal(&value);
  if (is_value) static_cast<void>(codec.Encode(ValueProfile::kJson, value));
}

// Checks less, since it takes long.
void TryLongJson(Codec& codec, const std::string& end) {
  v8::Local<v8::Value> value;
  v8::Local<v8::Value> decoded;
  const std::string bytes = '"' + std::string(kLongLength, 'x') + end;
  if (!codec.Decode(ValueProfile::kJson, {.bytes = bytes}).ToLocal(&value)) return;
  const auto json = codec.Encode(ValueProfile::kJson, value);
  Require(json.has_value());
  Require(codec.Decode(ValueProfile::kJson, *json).ToLocal(&decoded));
  Require(decoded->StrictEquals(value));
}

// encode(first, value): the input that holds this value; undefined when the value cannot cross.
void EncodeInput(const v8::FunctionCallbackInfo<v8::Value>& info) {
  v8::Isolate* const isolate = info.GetIsolate();
  std::string input = *v8::String::Utf8Value(isolate, info[0]);
  const auto first = static_cast<std::uint8_t>(input.front());
  const auto payload = Codec(first).Encode(ProfileOf(first), info[1]);
  v8::Local<v8::Object> buffer;
  if (!payload || !payload->long_texts.empty()) return;
  input += payload->bytes;
  if (!node::Buffer::Copy(isolate, input.data(), input.size()).ToLocal(&buffer)) return;
  info.GetReturnValue().Set(buffer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t first = data[0];
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Codec codec(first);
  if (first == kLongJson) {
    TryLongJson(codec, bytes);
  } else if (first == kMarkedJson) {
    TryMarkedJson(codec, bytes);
  } else if (ProfileOf(first) == ValueProfile::kClone) {
    TryClone(codec, std::move(bytes));
  } else {
    TryJson(codec, std::move(bytes));
  }
  return 0;
}

NODE_MODULE_INIT() {
  static_cast<void>(module);
  static_cast<void>(context);
  NODE_SET_METHOD(exports, "encode", EncodeInput);
  NODE_SET_METHOD(exports, "run", RunLibFuzzer);
}
