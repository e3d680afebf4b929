#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/values/bulk_json.h"
#include "native/values/encode_support.h"
#include "native/values/json_pieces.h"
#include "native/values/json_text.h"

namespace isobox {
namespace {

// Arrays of this length are worth the effort of writing in bulk.
constexpr uint32_t kBulkLength = 32;

class JsonEncoder {
 public:
  JsonEncoder(v8::Local<v8::Context> context, const CodecLimits& limits, const StopLatch* stop,
              Payload& out)
      : state_(context, limits, stop, out.bytes),
        payload_(out),
        out_(out.bytes),
        text_(out.bytes),
        pieces_(out, limits.piece) {}

  EncodeResult Run(v8::Local<v8::Value> value) {
    if (value->IsUndefined()) return {};
    const bool ok = IsLongText(value) ? WriteLongText(value.As<v8::String>(), out_) : Write(value);
    payload_.cost = state_.cost();
    return state_.Finish(ok);
  }

 private:
  static bool IsLongText(v8::Local<v8::Value> value) {
    return value->IsString() && static_cast<size_t>(value.As<v8::String>()->Length()) >= kLongText;
  }

  // The characters as they are.
  bool WriteLongText(v8::Local<v8::String> string, std::string& out) {
    const bool is_one_byte = string->IsOneByte();
    const size_t unit = is_one_byte ? sizeof(char) : sizeof(uint16_t);
    const size_t bytes = static_cast<size_t>(string->Length()) * unit;
    if (!state_.HasRoomFor(bytes)) return false;
    state_.Charge(value_cost::Copy(bytes));
    EncodeState::Reserve(kTwoByteMarks + bytes, out);
    if (is_one_byte) {
      out.append(kOneByteMarks, kOneByteMark);
      state_.Append<char>(string, out);
    } else {
      out.append(kTwoByteMarks, kTwoByteMark);
      state_.Append<uint16_t>(string, out);
    }
    return state_.CheckSize();
  }

  // A long string inside an array or object.
  bool WriteTextBeside(v8::Local<v8::String> string) {
    std::string text;
    if (!WriteLongText(string, text)) return false;
    state_.AddBytesBeside(text.size());
    pieces_.AddText(std::move(text));
    return state_.CheckSize();
  }

  bool Write(v8::Local<v8::Value> value) {
    if (value->IsString()) {
      if (IsLongText(value)) return WriteTextBeside(value.As<v8::String>());
      if (!state_.HasRoomFor(value.As<v8::String>())) return false;
      const size_t start = out_.size();
      WriteString(value.As<v8::String>());
      state_.Charge(value_cost::JsonString(out_.size() - start));
    } else if (value->IsInt32()) {
      text_.WriteNumber(value.As<v8::Int32>()->Value());
      state_.Charge(value_cost::kInteger);
    } else if (value->IsNumber()) {
      const double number = value.As<v8::Number>()->Value();
      if (!std::isfinite(number)) return state_.Refuse(DescribeKind(value));
      text_.WriteNumber(number == 0 ? 0 : number);
      state_.Charge(value_cost::kNumber);
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

  void WriteString(v8::Local<v8::String> string) {
    EncodeState::Reserve(static_cast<size_t>(string->Length()) + 2, out_);
    out_.push_back('"');
    if (string->IsOneByte()) {
      // Most strings can stand as they are, so they are read into place and only then looked at.
      state_.Append<char>(string, out_, [this](size_t start) { text_.EscapeFrom(start); });
    } else {
      v8_api::ReadTwoByte(state_.isolate, string, units_);
      text_.WriteUnits(std::span<const uint16_t>(units_));
    }
    out_.push_back('"');
  }

  bool EnterObject(v8::Local<v8::Object> object, const ValueCost& cost, uint32_t length) {
    for (const auto& ancestor : ancestors_) {
      if (ancestor == object) return state_.Refuse("is part of a cycle");
    }
    ancestors_.push_back(object);
    pieces_.Open(length);
    return state_.Enter(cost) && state_.HasStack();
  }

  void LeaveObject() {
    pieces_.Close();
    state_.Leave();
    ancestors_.pop_back();
  }

  bool WriteArray(v8::Local<v8::Array> array) {
    if (array->IsProxy()) return state_.Refuse(DescribeKind(array));
    const uint32_t length = array->Length();
    if (length >= kBulkLength && may_write_in_bulk_) {
      const BulkResult result = WriteInBulk(array, state_, text_, pieces_);
      if (result == BulkResult::kWritten) return true;
      if (result == BulkResult::kStopped) return state_.Threw();
      may_write_in_bulk_ = false;  // trying parts of it again and again would cost too much
    }
    if (!EnterObject(array, value_cost::kArray, length)) return false;
    out_.push_back('[');
    for (uint32_t i = 0; i < length; ++i) {
      const v8::HandleScope scope(state_.isolate);
      if (i > 0) out_.push_back(',');
      pieces_.BeginChild();
      state_.Charge(value_cost::kElement);
      v8::Local<v8::Value> element;
      if (!array->Get(state_.context, i).ToLocal(&element)) return state_.Threw();
      if (element->IsUndefined()) {
        out_ += "null";
        if (!state_.CheckSize()) return state_.FailedAt(i);
      } else if (!Write(element)) {
        return state_.FailedAt(i);
      }
      pieces_.EndChild(state_.cost().ns);
    }
    out_.push_back(']');
    LeaveObject();
    return state_.CheckSize();
  }

  bool WriteObject(v8::Local<v8::Object> object) {
    if (object->IsProxy() || object->IsFunction() || !state_.IsPlain(object)) {
      return state_.Refuse(DescribeKind(object));
    }
    if (!EnterObject(object, value_cost::kObject, 0)) return false;
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
    uint64_t shape = value_cost::ShapeCosts::kNoShape;
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
      pieces_.BeginChild();
      const auto name = key.As<v8::String>();
      if (!state_.ChargeProperty(shape, static_cast<uint32_t>(name->GetIdentityHash()),
                                 static_cast<size_t>(name->Length()), i)) {
        return false;
      }
      WriteString(name);
      out_.push_back(':');
      if (!Write(value)) return state_.FailedAt(key);
      pieces_.EndChild(state_.cost().ns);
    }
    out_.push_back('}');
    LeaveObject();
    return state_.CheckSize();
  }

  EncodeState state_;
  Payload& payload_;
  std::string& out_;  // the payload's
  JsonText text_;
  JsonPieces pieces_;
  bool may_write_in_bulk_ = true;
  std::vector<v8::Local<v8::Object>> ancestors_;
  std::vector<uint16_t> units_;
};

}  // namespace

EncodeResult EncodeJson(v8::Local<v8::Context> context, v8::Local<v8::Value> value,
                        const CodecLimits& limits, const StopLatch* stop, Payload& out) {
  const v8::HandleScope scope(v8::Isolate::GetCurrent());
  return JsonEncoder(context, limits, stop, out).Run(value);
}

}  // namespace isobox
