#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "native/guest/json_text.h"
#include "native/guest/value_codec.h"

namespace isobox {
namespace {

// Text for V8 to use in place. Isolate's thread.
template <typename Resource, typename Unit>
class TextInPlace final : public Resource {
 public:
  // Without so many bytes at its start.
  TextInPlace(std::string text, size_t skipped, std::shared_ptr<MemoryMeter> meter)
      : text_(std::move(text)), skipped_(skipped), meter_(std::move(meter)) {
    Report(1);
  }
  TextInPlace(const TextInPlace&) = delete;
  TextInPlace& operator=(const TextInPlace&) = delete;
  ~TextInPlace() override { Report(-1); }

  const Unit* data() const override {
    return reinterpret_cast<const Unit*>(text_.data() + skipped_);
  }
  size_t length() const override { return (text_.size() - skipped_) / sizeof(Unit); }

 private:
  void Report(int64_t sign) {
    if (meter_) meter_->ReportNative(sign * static_cast<int64_t>(text_.capacity()));
  }

  const std::string text_;
  const size_t skipped_;
  const std::shared_ptr<MemoryMeter> meter_;  // shared with the isolate, which may go first
};
using OneByteInPlace = TextInPlace<v8::String::ExternalOneByteStringResource, char>;
using TwoByteInPlace = TextInPlace<v8::String::ExternalStringResource, uint16_t>;

v8::MaybeLocal<v8::String> NewExternal(v8::Isolate* isolate, OneByteInPlace* text) {
  return v8::String::NewExternalOneByte(isolate, text);
}
v8::MaybeLocal<v8::String> NewExternal(v8::Isolate* isolate, TwoByteInPlace* text) {
  return v8::String::NewExternalTwoByte(isolate, text);
}

template <typename InPlace>
v8::MaybeLocal<v8::String> KeepInPlace(std::string bytes, size_t skipped,
                                       const std::shared_ptr<MemoryMeter>& meter) {
  if (bytes.size() < skipped) return {};
  auto in_place = std::make_unique<InPlace>(std::move(bytes), skipped, meter);
  if (in_place->length() > static_cast<size_t>(v8::String::kMaxLength)) return {};
  const auto text = NewExternal(v8::Isolate::GetCurrent(), in_place.get());
  if (!text.IsEmpty()) static_cast<void>(in_place.release());
  return text;  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the text is V8's now
}

// Whether some bytes are a string by itself that need not be parsed: marked, or without escapes.
bool IsContent(std::string_view bytes) {
  if (bytes.front() == kOneByteMark || bytes.front() == kTwoByteMark) return true;
  return bytes.size() > 1 && bytes.size() < kLongText && bytes.front() == '"' &&
         bytes.find('\\') == std::string_view::npos;
}

// The content where the bytes are that, else the JSON.
v8::MaybeLocal<v8::String> ToText(std::string bytes, bool is_content,
                                  const std::shared_ptr<MemoryMeter>& meter) {
  if (bytes.front() == kOneByteMark) {
    return KeepInPlace<OneByteInPlace>(std::move(bytes), kOneByteMarks, meter);
  }
  if (bytes.front() == kTwoByteMark) {
    return KeepInPlace<TwoByteInPlace>(std::move(bytes), kTwoByteMarks, meter);
  }
  if (bytes.size() >= kLongText) return KeepInPlace<OneByteInPlace>(std::move(bytes), 0, meter);
  const size_t quotes = is_content ? 1 : 0;
  return v8::String::NewFromOneByte(
      v8::Isolate::GetCurrent(), reinterpret_cast<const uint8_t*>(bytes.data()) + quotes,
      v8::NewStringType::kNormal, static_cast<int>(bytes.size() - 2 * quotes));
}

}  // namespace

v8::MaybeLocal<v8::Value> DecodeJson(v8::Local<v8::Context> context, Payload&& payload,
                                     const std::shared_ptr<MemoryMeter>& meter) {
  if (payload.bytes.empty()) return v8::Undefined(v8::Isolate::GetCurrent()).As<v8::Value>();
  const bool is_content = IsContent(payload.bytes);
  v8::Local<v8::String> text;
  if (!ToText(std::move(payload.bytes), is_content, meter).ToLocal(&text)) return {};
  if (is_content) return text;
  return v8::JSON::Parse(context, text);
}

}  // namespace isobox
