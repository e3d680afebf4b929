#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "native/guest/encode_support.h"

namespace isobox {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// Whether a unit of a string can stand in JSON text as it is. The text is kept to ASCII,
// so that it is valid UTF-8 and a one-byte string at once and never needs to be converted. Without
// branches, so that loops of it compile to vector instructions.
template <typename Unit>
constexpr bool IsClean(Unit unit) {
  return static_cast<bool>((unit >= 0x20) & (unit < 0x7F) & (unit != '"') & (unit != '\\'));
}

// How many characters from the start need no escape. Blocks are looked at as a whole.
size_t CleanPrefix(std::string_view text) {
  constexpr size_t kBlock = 64;
  size_t at = 0;
  for (; at + kBlock <= text.size(); at += kBlock) {
    uint8_t dirty = 0;
    for (size_t i = at; i < at + kBlock; ++i) {
      dirty |= static_cast<uint8_t>(!IsClean(static_cast<uint8_t>(text[i])));
    }
    if (dirty != 0) break;
  }
  while (at < text.size() && IsClean(static_cast<uint8_t>(text[at])))
    ++at;
  return at;
}

// From here on copying a text costs more than keeping it where it is.
constexpr size_t kLongText = 32U << 10U;

// The content of a text in quotes, for V8 to use in place. Isolate's thread.
class QuotedText final : public v8::String::ExternalOneByteStringResource {
 public:
  QuotedText(std::string quoted, std::shared_ptr<MemoryMeter> meter)
      : quoted_(std::move(quoted)), meter_(std::move(meter)) {
    Report(1);
  }
  QuotedText(const QuotedText&) = delete;
  QuotedText& operator=(const QuotedText&) = delete;
  ~QuotedText() override { Report(-1); }

  const char* data() const override { return quoted_.data() + 1; }
  size_t length() const override { return quoted_.size() - 2; }

 private:
  void Report(int64_t sign) {
    if (meter_) meter_->ReportNative(sign * static_cast<int64_t>(quoted_.capacity()));
  }

  const std::string quoted_;
  const std::shared_ptr<MemoryMeter> meter_;  // shared with the isolate, which may go first
};

class JsonEncoder {
 public:
  JsonEncoder(v8::Local<v8::Context> context, const CodecLimits& limits, const StopLatch* stop,
              std::string& out)
      : state_(context, limits, stop, out), out_(out) {}

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
      WriteNumber(value.As<v8::Int32>()->Value());
    } else if (value->IsNumber()) {
      const double number = value.As<v8::Number>()->Value();
      if (!std::isfinite(number)) return state_.Refuse(DescribeKind(value));
      WriteNumber(number == 0 ? 0 : number);
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

  template <typename Number>
  void WriteNumber(Number number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    out_.append(text.data(), end);
  }

  void WriteUnit(uint16_t unit) {
    if (IsClean(unit)) {
      out_.push_back(static_cast<char>(unit));
    } else {
      WriteEscaped(unit);
    }
  }

  void WriteEscaped(uint16_t unit) {
    switch (unit) {
      case '"':
        out_ += "\\\"";
        return;
      case '\\':
        out_ += "\\\\";
        return;
      case '\n':
        out_ += "\\n";
        return;
      case '\r':
        out_ += "\\r";
        return;
      case '\t':
        out_ += "\\t";
        return;
      default:
        break;
    }
    out_ += "\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U}) {
      out_.push_back(kHexDigits[(static_cast<unsigned>(unit) >> shift) & 0xFU]);
    }
  }

  // Most strings can stand as they are, so they are read into place and only then looked at.
  void WriteOneByte(v8::Local<v8::String> string) {
    const size_t start = out_.size();
    const auto length = static_cast<size_t>(string->Length());
    out_.resize(start + length);
    platform::CopyOneByte(state_.isolate, string, out_.data() + start);
    const size_t clean = CleanPrefix(std::string_view(out_).substr(start));
    if (clean == length) return;
    const std::string rest = out_.substr(start + clean);
    out_.resize(start + clean);
    for (const char character : rest) {
      WriteUnit(static_cast<uint8_t>(character));
    }
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
        WriteUnit(unit);
    }
    out_.push_back('"');
  }

  bool EnterObject(v8::Local<v8::Object> object) {
    for (const auto& ancestor : ancestors_) {
      if (ancestor == object) return state_.Refuse("is part of a cycle");
    }
    ancestors_.push_back(object);
    return state_.Enter();
  }

  void LeaveObject() {
    state_.Leave();
    ancestors_.pop_back();
  }

  bool WriteArray(v8::Local<v8::Array> array) {
    if (array->IsProxy()) return state_.Refuse(DescribeKind(array));
    if (!EnterObject(array)) return false;
    out_.push_back('[');
    const uint32_t length = array->Length();
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
  const auto make = [isolate](std::string_view ascii) {
    return v8::String::NewFromOneByte(isolate, reinterpret_cast<const uint8_t*>(ascii.data()),
                                      v8::NewStringType::kNormal, static_cast<int>(ascii.size()));
  };
  v8::Local<v8::String> text;
  if (bytes.front() == '"' && bytes.find('\\') == std::string_view::npos) {
    // A string without escapes is its own content.
    if (bytes.size() < kLongText) {
      if (!make(bytes.substr(1, bytes.size() - 2)).ToLocal(&text)) return {};
      return text;
    }
    auto content = std::make_unique<QuotedText>(std::move(payload.bytes), meter);
    if (!v8::String::NewExternalOneByte(isolate, content.get()).ToLocal(&text)) return {};
    static_cast<void>(content.release());
    return text;  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the content is V8's now
  }
  if (!make(bytes).ToLocal(&text)) return {};
  return v8::JSON::Parse(context, text);
}

}  // namespace isobox
