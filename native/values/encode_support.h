#pragma once
// What both encoders share: limits, failure paths, the test for plain objects.

#include <algorithm>
#include <string>
#include <string_view>

#include "native/values/stack_room.h"
#include "native/values/text.h"
#include "native/values/v8_api.h"
#include "native/values/value_codec.h"
#include "native/values/value_cost.h"

namespace isobox {

class EncodeState {
 public:
  EncodeState(v8::Local<v8::Context> context, const CodecLimits& limits, const StopLatch* stop,
              std::string& out)
      : context(context),
        isolate(v8::Isolate::GetCurrent()),
        out(out),
        limits_(limits),
        stop_(stop),
        plain_prototype_(v8_api::PrototypeOf(v8::Object::New(isolate))) {}

  // An array or object of this cost, without its contents. False when the value is too large, too
  // deep or stopped; the status says which.
  bool Enter(const ValueCost& cost) {
    depth_ += 1;
    objects_ += 1;
    cost_ += cost;
    if (objects_ > limits_.max_objects) {
      return Fail(EncodeStatus::kTooLarge, "is one object or array more than may cross at once");
    }
    return depth_ <= limits_.max_depth || Fail(EncodeStatus::kTooDeep, "is nested too deeply");
  }
  void Leave() { depth_ -= 1; }

  // After Enter, for who goes on through V8's API. False where there is no stack for that.
  bool HasStack() { return depth_ % kLevelsPerStackCheck != 0 || HasStackRoom(context) || Threw(); }

  const StopLatch* stop() const { return stop_; }

  // What the value costs so far.
  const ValueCost& cost() const { return cost_; }
  void Charge(const ValueCost& cost) { cost_ += cost; }
  // For one more property of an object that has `index` of them. False when its name is too long:
  // V8 takes names whole, and there is no stopping it on the way.
  bool ChargeProperty(uint64_t& shape, uint32_t name_hash, size_t name_bytes, uint32_t index) {
    constexpr size_t kLongestName = size_t{1} << 20U;
    cost_ += shapes_.Add(shape, name_hash, name_bytes, index);
    return name_bytes <= kLongestName ||
           Fail(EncodeStatus::kTooLarge, "has a property name of more than a million bytes");
  }

  uint64_t objects() const { return objects_; }
  // False when so many more are too many.
  bool AddObjects(uint64_t count) {
    objects_ += count;
    return objects_ <= limits_.max_objects;
  }

  // To try something and take it back.
  struct Mark {
    size_t size = 0;
    uint32_t depth = 0;
    uint64_t objects = 0;
    ValueCost cost;
    size_t bytes_beside = 0;
  };
  Mark mark() const { return {out.size(), depth_, objects_, cost_, bytes_beside_}; }
  void Rewind(const Mark& mark) {
    out.resize(mark.size);
    depth_ = mark.depth;
    objects_ = mark.objects;
    cost_ = mark.cost;
    bytes_beside_ = mark.bytes_beside;
    result = {};
  }

  // Bytes of the value that are not in `out`.
  void AddBytesBeside(size_t bytes) { bytes_beside_ += bytes; }

  bool CheckSize() {
    if (out.size() + bytes_beside_ > limits_.max_bytes) {
      return Fail(EncodeStatus::kTooLarge, "is too large");
    }
    if (cost_.bytes > limits_.max_cost.bytes) {
      return Fail(EncodeStatus::kTooLarge, "takes more memory to rebuild than the guest may use");
    }
    if (cost_.ns > limits_.max_cost.ns) {
      return Fail(EncodeStatus::kTooLarge, "takes too long to rebuild: send less of it at once");
    }
    if ((++steps_ & 0x3FFU) == 0 && stop_ != nullptr && stop_->tripped()) return Threw();
    return true;
  }

  // False when this much cannot fit, asked before it is copied.
  bool HasRoomFor(v8::Local<v8::String> string) {
    return HasRoomFor(static_cast<size_t>(string->Length()));
  }
  bool HasRoomFor(size_t bytes) {
    if (out.size() + bytes_beside_ + bytes <= limits_.max_bytes) return true;
    return Fail(EncodeStatus::kTooLarge, "is too large");
  }

  // Before so much is written: growing by itself, what is there would be copied several times.
  static void Reserve(size_t bytes, std::string& to);

  // The characters of a string, in pieces that stay in the processor's cache: `look` is called with
  // the place of each when it is there. As chars only when the string says IsOneByte(); as uint16_t
  // only where there is an even number of bytes before it.
  template <typename Unit, typename Look>
  void Append(v8::Local<v8::String> string, std::string& to, Look look) {
    constexpr size_t kPiece = (16U << 10U) / sizeof(Unit);
    const auto length = static_cast<size_t>(string->Length());
    for (size_t at = 0; at < length; at += kPiece) {
      const size_t count = std::min(kPiece, length - at);
      const size_t start = to.size();
      to.resize(start + count * sizeof(Unit));
      v8_api::CopyUnits(isolate, string, at, count, reinterpret_cast<Unit*>(to.data() + start));
      look(start);
    }
  }
  template <typename Unit>
  void Append(v8::Local<v8::String> string, std::string& to) {
    Append<Unit>(string, to, [](size_t /*start*/) {});
  }

  bool Fail(EncodeStatus status, std::string_view what) {
    result.status = status;
    what_ = what;
    return false;
  }
  bool Refuse(std::string_view what) { return Fail(EncodeStatus::kNotTransferable, what); }
  bool Threw() {
    result.status = EncodeStatus::kThrew;
    return false;
  }

  // Called while unwinding from a failure, innermost first.
  bool FailedAt(v8::Local<v8::Value> key) {
    if (result.status == EncodeStatus::kThrew || path_segments_ > kMaxPathSegments) return false;
    path_segments_ += 1;
    std::string segment;
    if (key->IsString()) segment = "." + ToUtf8Clipped(isolate, key.As<v8::String>(), kMaxKeyBytes);
    path_.insert(0, segment);
    return false;
  }
  bool FailedAt(uint32_t index) {
    if (result.status == EncodeStatus::kThrew || path_segments_ > kMaxPathSegments) return false;
    path_segments_ += 1;
    path_.insert(0, "[" + std::to_string(index) + "]");
    return false;
  }

  EncodeResult Finish(bool ok) {
    if (!ok && result.status != EncodeStatus::kThrew) {
      const char* const elision = path_segments_ > kMaxPathSegments ? "..." : "";
      result.message = std::string("value") + elision + path_ + " " + what_;
    }
    return result;
  }

  // Plain: made by a literal, Object.create(null) or the like, in any realm. Not for proxies.
  bool IsPlain(v8::Local<v8::Object> object) {
    const v8::Local<v8::Value> prototype = v8_api::PrototypeOf(object);
    if (prototype == plain_prototype_ || prototype->IsNull()) return true;
    if (!prototype->IsObject() || prototype->IsProxy()) return false;
    return v8_api::PrototypeOf(prototype.As<v8::Object>())->IsNull();
  }

  v8::Local<v8::Context> context;
  v8::Isolate* isolate;
  std::string& out;
  EncodeResult result;

 private:
  static constexpr int kMaxPathSegments = 20;
  static constexpr size_t kMaxKeyBytes = 80;

  const CodecLimits limits_;
  const StopLatch* stop_;
  uint32_t depth_ = 0;
  uint64_t objects_ = 0;
  ValueCost cost_;
  value_cost::ShapeCosts shapes_;
  size_t bytes_beside_ = 0;
  uint32_t steps_ = 0;
  int path_segments_ = 0;
  std::string path_;
  std::string what_;
  const v8::Local<v8::Value> plain_prototype_;  // of this realm; others are looked at each time
};

// What a value of this kind is called in a message.
std::string_view DescribeKind(v8::Local<v8::Value> value);

}  // namespace isobox
