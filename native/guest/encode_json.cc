#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/guest/bulk_json.h"
#include "native/guest/encode_support.h"
#include "native/guest/json_text.h"

namespace isobox {
namespace {

// Arrays of this length are worth the effort of writing in bulk.
constexpr uint32_t kBulkLength = 32;

// From here on copying a text costs more than keeping it where it is.
constexpr size_t kLongText = 32U << 10U;

// Text for V8 to use in place. Isolate's thread.
class TextInPlace final : public v8::String::ExternalOneByteStringResource {
 public:
  // Without so many characters at either end.
  TextInPlace(std::string text, size_t margin, std::shared_ptr<MemoryMeter> meter)
      : text_(std::move(text)), margin_(margin), meter_(std::move(meter)) {
    Report(1);
  }
  TextInPlace(const TextInPlace&) = delete;
  TextInPlace& operator=(const TextInPlace&) = delete;
  ~TextInPlace() override { Report(-1); }

  const char* data() const override { return text_.data() + margin_; }
  size_t length() const override { return text_.size() - 2 * margin_; }

 private:
  void Report(int64_t sign) {
    if (meter_) meter_->ReportNative(sign * static_cast<int64_t>(text_.capacity()));
  }

  const std::string text_;
  const size_t margin_;
  const std::shared_ptr<MemoryMeter> meter_;  // shared with the isolate, which may go first
};

// ASCII without so many characters at either end.
v8::MaybeLocal<v8::String> ToText(v8::Isolate* isolate, std::string ascii, size_t margin,
                                  const std::shared_ptr<MemoryMeter>& meter) {
  if (ascii.size() < kLongText) {
    return v8::String::NewFromOneByte(
        isolate, reinterpret_cast<const uint8_t*>(ascii.data()) + margin,
        v8::NewStringType::kNormal, static_cast<int>(ascii.size() - 2 * margin));
  }
  auto in_place = std::make_unique<TextInPlace>(std::move(ascii), margin, meter);
  const auto text = v8::String::NewExternalOneByte(isolate, in_place.get());
  if (!text.IsEmpty()) static_cast<void>(in_place.release());
  return text;  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the text is V8's now
}

class JsonEncoder {
 public:
  JsonEncoder(v8::Local<v8::Context> context, const CodecLimits& limits, const StopLatch* stop,
              std::string& out)
      : state_(context, limits, stop, out), out_(out), text_(out) {}

  EncodeResult Run(v8::Local<v8::Value> value) {
    if (value->IsUndefined()) return {};
    return state_.Finish(Write(value));
  }

 private:
  bool Write(v8::Local<v8::Value> value) {
    if (value->IsString()) {
      if (!state_.HasRoomFor(value.As<v8::String>())) return false;
      WriteString(value.As<v8::String>());
    } else if (value->IsInt32()) {
      text_.WriteNumber(value.As<v8::Int32>()->Value());
    } else if (value->IsNumber()) {
      const double number = value.As<v8::Number>()->Value();
      if (!std::isfinite(number)) return state_.Refuse(DescribeKind(value));
      text_.WriteNumber(number == 0 ? 0 : number);
    } else if (value->IsNull()) {
      out_ += "null";
    } else if (value->IsBoolean()) {
      out_ += value->IsTrue() ? "true" : "false";
    } else if (value->IsArray()) {
      return WriteArray(value.As<v8::Array>());
    } else if (value->IsObject()) {
      return WriteObject(value.As<v8::Object>());
    } else {
      return state_.Refuse(DescribeKind(value));
    }
    return state_.CheckSize();
  }

  // Most strings can stand as they are, so they are read into place and only then looked at.
  void WriteOneByte(v8::Local<v8::String> string) {
    const size_t start = out_.size();
    out_.resize(start + static_cast<size_t>(string->Length()));
    platform::CopyOneByte(state_.isolate, string, out_.data() + start);
    text_.EscapeFrom(start);
  }

  void WriteString(v8::Local<v8::String> string) {
    const size_t needed = out_.size() + static_cast<size_t>(string->Length()) + 2;
    if (out_.empty()) out_.reserve(needed);  // growing by itself, it would end up twice as large
    out_.push_back('"');
    if (string->IsOneByte()) {
      WriteOneByte(string);
    } else {
      platform::ReadTwoByte(state_.isolate, string, units_);
      for (const uint16_t unit : units_)
        text_.WriteUnit(unit);
    }
    out_.push_back('"');
  }

  bool EnterObject(v8::Local<v8::Object> object) {
    for (const auto& ancestor : ancestors_) {
      if (ancestor == object) return state_.Refuse("is part of a cycle");
    }
    ancestors_.push_back(object);
    return state_.Enter() && state_.HasStack();
  }

  void LeaveObject() {
    state_.Leave();
    ancestors_.pop_back();
  }

  bool WriteArray(v8::Local<v8::Array> array) {
    if (array->IsProxy()) return state_.Refuse(DescribeKind(array));
    const uint32_t length = array->Length();
    if (length >= kBulkLength && may_write_in_bulk_) {
      const BulkResult result = WriteInBulk(array, state_, text_);
      if (result == BulkResult::kWritten) return true;
      if (result == BulkResult::kStopped) return state_.Threw();
      may_write_in_bulk_ = false;  // trying parts of it again and again would cost too much
    }
    if (!EnterObject(array)) return false;
    out_.push_back('[');
    for (uint32_t i = 0; i < length; ++i) {
      const v8::HandleScope scope(state_.isolate);
      if (i > 0) out_.push_back(',');
      v8::Local<v8::Value> element;
      if (!array->Get(state_.context, i).ToLocal(&element)) return state_.Threw();
      if (element->IsUndefined()) {
        out_ += "null";
        if (!state_.CheckSize()) return state_.FailedAt(i);
      } else if (!Write(element)) {
        return state_.FailedAt(i);
      }
    }
    out_.push_back(']');
    LeaveObject();
    return state_.CheckSize();
  }

  bool WriteObject(v8::Local<v8::Object> object) {
    if (object->IsProxy() || object->IsFunction() || !state_.IsPlain(object)) {
      return state_.Refuse(DescribeKind(object));
    }
    if (!EnterObject(object)) return false;
    v8::Local<v8::Array> keys;
    if (!object
             ->GetOwnPropertyNames(
                 state_.context,
                 static_cast<v8::PropertyFilter>(v8::ONLY_ENUMERABLE | v8::SKIP_SYMBOLS),
                 v8::KeyConversionMode::kConvertToString)
             .ToLocal(&keys)) {
      return state_.Threw();
    }
    out_.push_back('{');
    const uint32_t count = keys->Length();
    bool is_first = true;
    for (uint32_t i = 0; i < count; ++i) {
      const v8::HandleScope scope(state_.isolate);
      v8::Local<v8::Value> key;
      v8::Local<v8::Value> value;
      if (!keys->Get(state_.context, i).ToLocal(&key) ||
          !object->Get(state_.context, key).ToLocal(&value)) {
        return state_.Threw();
      }
      if (value->IsUndefined()) continue;
      if (!is_first) out_.push_back(',');
      is_first = false;
      WriteString(key.As<v8::String>());
      out_.push_back(':');
      if (!Write(value)) return state_.FailedAt(key);
    }
    out_.push_back('}');
    LeaveObject();
    return state_.CheckSize();
  }

  EncodeState state_;
  std::string& out_;
  JsonText text_;
  bool may_write_in_bulk_ = true;
  std::vector<v8::Local<v8::Object>> ancestors_;
  std::vector<uint16_t> units_;
};

}  // namespace

EncodeResult EncodeJson(v8::Local<v8::Context> context, v8::Local<v8::Value> value,
                        const CodecLimits& limits, const StopLatch* stop, Payload& out) {
  const v8::HandleScope scope(v8::Isolate::GetCurrent());
  return JsonEncoder(context, limits, stop, out.bytes).Run(value);
}

v8::MaybeLocal<v8::Value> DecodeJson(v8::Local<v8::Context> context, Payload&& payload,
                                     const std::shared_ptr<MemoryMeter>& meter) {
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  const std::string_view bytes = payload.bytes;
  if (bytes.empty()) return v8::Undefined(isolate).As<v8::Value>();
  if (bytes.size() > static_cast<size_t>(v8::String::kMaxLength)) return {};
  // A string without escapes is its own content.
  const bool is_content = bytes.front() == '"' && bytes.find('\\') == std::string_view::npos;
  const size_t margin = is_content ? 1 : 0;
  v8::Local<v8::String> text;
  if (!ToText(isolate, std::move(payload.bytes), margin, meter).ToLocal(&text)) return {};
  if (is_content) return text;
  return v8::JSON::Parse(context, text);
}

}  // namespace isobox
