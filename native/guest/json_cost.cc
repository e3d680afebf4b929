#include "native/guest/json_cost.h"

#include <algorithm>

#include "native/core/json_parse_cost.h"
#include "native/guest/guest_catch.h"
#include "native/guest/string_pieces.h"
#include "native/values/text.h"

namespace isobox::json_cost {
namespace {

// Adds up a text as it would be written, and gives up where it is too long.
class TextCount {
 public:
  TextCount(const GuestScope& scope, Layout layout, uint64_t bytes)
      : scope_(scope),
        context_(scope.context()),
        isolate_(scope.isolate()),
        to_json_(Intern(isolate_, "toJSON")),
        layout_(layout),
        left_(bytes) {}

  // False when there is too much of it, or when that cannot be told.
  bool Add(v8::Local<v8::Value> value) {
    if (value->IsString()) return AddString(value.As<v8::String>());
    if (!value->IsObject() || value->IsFunction()) return Take(kLongestNumber);
    if (value->IsProxy() || !scope_.HasStack(kStackBytes)) return false;
    depth_ += 1;
    const bool is_short = AddObject(value.As<v8::Object>());
    depth_ -= 1;
    return is_short;
  }

 private:
  static constexpr uint64_t kLongestNumber = 25;
  static constexpr uint64_t kLongestIndent = 10;
  // V8 needs some where it collects garbage.
  static constexpr size_t kStackBytes = 64U << 10U;
  // Of control characters.
  static constexpr uint64_t kLongestEscape = 6;

  bool Take(uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

  bool AddString(v8::Local<v8::String> string) {
    const auto length = static_cast<uint64_t>(string->Length());
    if (!Take((length + 2) * (string->IsOneByte() ? 1 : 2))) return false;
    return ForEachPiece(isolate_, string, [this](auto units) {
      const auto escaped = std::count_if(units.begin(), units.end(), [](uint32_t unit) {
        return unit < ' ' || unit == '"' || unit == '\\' || (unit & 0xF800U) == 0xD800U;
      });
      return Take(static_cast<uint64_t>(escaped) * (kLongestEscape - 1) * sizeof(units.front()));
    });
  }

  // Separators, and what a line is indented by.
  bool TakeEntry() {
    return Take(3 + (layout_ == Layout::kIndented ? depth_ * kLongestIndent : 0));
  }

  bool AddObject(v8::Local<v8::Object> object) {
    const v8::HandleScope scope(isolate_);
    v8::Local<v8::Value> to_json;
    if (!object->Get(context_, to_json_).ToLocal(&to_json) || to_json->IsFunction()) return false;
    if (!TakeEntry() || !Take(kLongestNumber) || object->IsStringObject()) return false;
    if (object->IsArray()) return AddElements(object.As<v8::Array>());
    // Their names alone are longer than that, and V8 would make all of them here.
    if (object->IsTypedArray()) {
      return Take(object.As<v8::TypedArray>()->Length() * 2 * kLongestNumber);
    }
    return AddProperties(object);
  }

  bool AddElements(v8::Local<v8::Array> array) {
    const uint32_t length = array->Length();
    if (length > left_) return false;
    for (uint32_t i = 0; i < length; ++i) {
      const v8::HandleScope scope(isolate_);
      v8::Local<v8::Value> element;
      if (!TakeEntry() || !array->Get(context_, i).ToLocal(&element) || !Add(element)) return false;
    }
    return true;
  }

  bool AddProperties(v8::Local<v8::Object> object) {
    constexpr auto kFilter =
        static_cast<v8::PropertyFilter>(v8::ONLY_ENUMERABLE | v8::SKIP_SYMBOLS);
    v8::Local<v8::Array> keys;
    if (!object->GetOwnPropertyNames(context_, kFilter, v8::KeyConversionMode::kConvertToString)
             .ToLocal(&keys)) {
      return false;
    }
    for (uint32_t i = 0; i < keys->Length(); ++i) {
      const v8::HandleScope scope(isolate_);
      v8::Local<v8::Value> key;
      v8::Local<v8::Value> value;
      if (!TakeEntry() || !keys->Get(context_, i).ToLocal(&key) || !Add(key) ||
          !object->Get(context_, key).ToLocal(&value) || !Add(value)) {
        return false;
      }
    }
    return true;
  }

  const GuestScope& scope_;
  const v8::Local<v8::Context> context_;
  v8::Isolate* const isolate_;
  const v8::Local<v8::String> to_json_;
  const Layout layout_;
  uint64_t left_;
  uint32_t depth_ = 0;
};

}  // namespace

bool ParseFits(v8::Isolate* isolate, v8::Local<v8::String> text, uint64_t bytes) {
  if (text->Length() <= kCheapTextLength) return true;
  QuickParseCost quick;
  ForEachPiece(isolate, text, [&](auto units) { return quick.Look(units); });
  if (quick.Fits(bytes)) return true;
  const uint64_t width = text->IsOneByte() ? sizeof(uint8_t) : sizeof(uint16_t);
  ParseCost cost(bytes, static_cast<uint64_t>(text->Length()) * width);
  ForEachPiece(isolate, text, [&](auto units) { return cost.Look(units); });
  return cost.Fits();
}

bool TextFits(const GuestScope& scope, v8::Local<v8::Value> value, Layout layout, uint64_t bytes) {
  const v8::HandleScope handles(scope.isolate());
  // What only code of the guest could tell throws here.
  const GuestCatch unknown(scope);
  const v8::Isolate::DisallowJavascriptExecutionScope nothing_runs(
      scope.isolate(), v8::Isolate::DisallowJavascriptExecutionScope::THROW_ON_FAILURE);
  return TextCount(scope, layout, bytes).Add(value);
}

}  // namespace isobox::json_cost
