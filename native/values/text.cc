#include "native/values/text.h"

#include <vector>

#include "native/values/v8_api.h"

namespace isobox {
namespace {

void AppendUtf8(std::string& out, uint32_t code) {
  if (code < 0x80U) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800U) {
    out.push_back(static_cast<char>(0xC0U | (code >> 6U)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
  } else if (code < 0x10000U) {
    out.push_back(static_cast<char>(0xE0U | (code >> 12U)));
    out.push_back(static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
  } else {
    out.push_back(static_cast<char>(0xF0U | (code >> 18U)));
    out.push_back(static_cast<char>(0x80U | ((code >> 12U) & 0x3FU)));
    out.push_back(static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
  }
}

bool IsLead(uint16_t unit) { return (unit & 0xFC00U) == 0xD800U; }
bool IsTrail(uint16_t unit) { return (unit & 0xFC00U) == 0xDC00U; }

}  // namespace

v8::MaybeLocal<v8::String> ToV8(v8::Isolate* isolate, std::string_view utf8) {
  if (utf8.size() > static_cast<size_t>(v8::String::kMaxLength)) return {};
  return v8::String::NewFromUtf8(isolate, utf8.data(), v8::NewStringType::kNormal,
                                 static_cast<int>(utf8.size()));
}

v8::Local<v8::String> Intern(v8::Isolate* isolate, std::string_view ascii) {
  return v8::String::NewFromOneByte(isolate, reinterpret_cast<const uint8_t*>(ascii.data()),
                                    v8::NewStringType::kInternalized,
                                    static_cast<int>(ascii.size()))
      .ToLocalChecked();
}

std::string ToUtf8(v8::Isolate* isolate, v8::Local<v8::String> string) {
  return ToUtf8Clipped(isolate, string, SIZE_MAX);
}

std::string ToUtf8Clipped(v8::Isolate* isolate, v8::Local<v8::String> string, size_t max_bytes) {
  std::string out;
  if (string->IsOneByte()) {
    std::vector<uint8_t> units;
    v8_api::ReadOneByte(isolate, string, units, max_bytes);
    out.reserve(units.size());
    for (const uint8_t unit : units) {
      if (out.size() >= max_bytes) break;
      AppendUtf8(out, unit);
    }
    return out;
  }
  std::vector<uint16_t> units;
  v8_api::ReadTwoByte(isolate, string, units, max_bytes);
  out.reserve(units.size());
  for (size_t i = 0; i < units.size() && out.size() < max_bytes; ++i) {
    const uint16_t unit = units[i];
    if (IsLead(unit) && i + 1 < units.size() && IsTrail(units[i + 1])) {
      ++i;
      AppendUtf8(out, 0x10000U + ((unit & 0x3FFU) << 10U) + (units[i] & 0x3FFU));
    } else if (IsLead(unit) || IsTrail(unit)) {
      AppendUtf8(out, 0xFFFDU);
    } else {
      AppendUtf8(out, unit);
    }
  }
  return out;
}

}  // namespace isobox
