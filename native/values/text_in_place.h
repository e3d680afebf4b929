#pragma once
// Strings that V8 uses where their characters lie, without a copy. Isolate's thread.

#include <memory>
#include <string>
#include <utility>

#include "native/values/v8_api.h"
#include "native/values/value_codec.h"
#include "v8.h"

namespace isobox {

template <typename Resource, typename Unit>
class TextInPlace final : public Resource {
 public:
  // Without so many bytes at its start. A guest's account counts the bytes; where there is none, V8
  // is told of them.
  TextInPlace(std::string text, size_t skipped, std::shared_ptr<MemoryAccount> account)
      : text_(std::move(text)), skipped_(skipped), account_(std::move(account)) {
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
    const int64_t change = sign * static_cast<int64_t>(text_.capacity());
    if (account_) {
      account_->ReportNative(change);
    } else {
      v8_api::ReportExternalMemory(isolate_, change);
    }
  }

  const std::string text_;
  const size_t skipped_;
  const std::shared_ptr<MemoryAccount> account_;  // shared with the isolate, which may go first
  v8::Isolate* const isolate_ = v8::Isolate::GetCurrent();
};
using OneByteInPlace = TextInPlace<v8::String::ExternalOneByteStringResource, char>;
using TwoByteInPlace = TextInPlace<v8::String::ExternalStringResource, uint16_t>;

inline v8::MaybeLocal<v8::String> NewExternal(v8::Isolate* isolate, OneByteInPlace* text) {
  return v8::String::NewExternalOneByte(isolate, text);
}
inline v8::MaybeLocal<v8::String> NewExternal(v8::Isolate* isolate, TwoByteInPlace* text) {
  return v8::String::NewExternalTwoByte(isolate, text);
}

template <typename InPlace>
v8::MaybeLocal<v8::String> KeepInPlace(std::string bytes, size_t skipped,
                                       const std::shared_ptr<MemoryAccount>& account) {
  if (bytes.size() < skipped) return {};
  auto in_place = std::make_unique<InPlace>(std::move(bytes), skipped, account);
  if (in_place->length() > static_cast<size_t>(v8::String::kMaxLength)) return {};
  const auto text = NewExternal(v8::Isolate::GetCurrent(), in_place.get());
  if (!text.IsEmpty()) static_cast<void>(in_place.release());
  return text;  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the text is V8's now
}

}  // namespace isobox
