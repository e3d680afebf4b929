#pragma once
// What both encoders share: limits, failure paths, the test for plain objects.

#include <algorithm>
#include <string>
#include <string_view>

#include "native/guest/platform.h"
#include "native/guest/stack_room.h"
#include "native/guest/text.h"
#include "native/guest/value_codec.h"

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
        plain_prototype_(platform::PrototypeOf(v8::Object::New(isolate))) {}

  // False when the value is too large, too deep or stopped; the status says which.
  bool Enter() {
    depth_ += 1;
    objects_ += 1;
    if (objects_ > limits_.max_objects) {
      return Fail(EncodeStatus::kTooLarge, "is one object or array more than may cross at once");
    }
    return depth_ <= limits_.max_depth || Fail(EncodeStatus::kTooDeep, "is nested too deeply");
  }
  void Leave() { depth_ -= 1; }

  // After Enter, for who goes on through V8's API. False where there is no stack for that.
  bool HasStack() { return depth_ % kLevelsPerStackCheck != 0 || HasStackRoom(context) || Threw(); }

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
  };
  Mark mark() const { return {out.size(), depth_, objects_}; }
  void Rewind(const Mark& mark) {
    out.resize(mark.size);
    depth_ = mark.depth;
    objects_ = mark.objects;
    result = {};
  }

  bool CheckSize() {
    if (out.size() > limits_.max_bytes) return Fail(EncodeStatus::kTooLarge, "is too large");
    if ((++steps_ & 0x3FFU) == 0 && stop_ != nullptr && stop_->tripped()) return Threw();
    return true;
  }

  // False when this much cannot fit, asked before it is copied.
  bool HasRoomFor(v8::Local<v8::String> string) {
    return HasRoomFor(static_cast<size_t>(string->Length()));
  }
  bool HasRoomFor(size_t bytes) {
    if (out.size() + bytes <= limits_.max_bytes) return true;
    return Fail(EncodeStatus::kTooLarge, "is too large");
  }

  // Before so much is written: growing by itself, what is there would be copied several times.
  void Reserve(size_t bytes);

  // The characters of a string, in pieces that stay in the processor's cache: `look` is called with
  // the place of each when it is there. As chars only when the string says IsOneByte(); as uint16_t
  // only where there is an even number of bytes before it.
  template <typename Unit, typename Look>
  void Append(v8::Local<v8::String> string, Look look) {
    constexpr size_t kPiece = (16U << 10U) / sizeof(Unit);
    const auto length = static_cast<size_t>(string->Length());
    for (size_t at = 0; at < length; at += kPiece) {
      const size_t count = std::min(kPiece, length - at);
      const size_t start = out.size();
      out.resize(start + count * sizeof(Unit));
      platform::CopyUnits(isolate, string, at, count, reinterpret_cast<Unit*>(out.data() + start));
      look(start);
    }
  }
  template <typename Unit>
  void Append(v8::Local<v8::String> string) {
    Append<Unit>(string, [](size_t /*start*/) {});
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
    const v8::Local<v8::Value> prototype = platform::PrototypeOf(object);
    if (prototype == plain_prototype_ || prototype->IsNull()) return true;
    if (!prototype->IsObject() || prototype->IsProxy()) return false;
    return platform::PrototypeOf(prototype.As<v8::Object>())->IsNull();
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
  uint32_t steps_ = 0;
  int path_segments_ = 0;
  std::string path_;
  std::string what_;
  const v8::Local<v8::Value> plain_prototype_;  // of this realm; others are looked at each time
};

// What a value of this kind is called in a message.
std::string_view DescribeKind(v8::Local<v8::Value> value);

}  // namespace isobox
