#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/values/json_text.h"
#include "native/values/text_in_place.h"
#include "native/values/value_codec.h"

namespace isobox {
namespace {

using Kind = TextMark::Kind;

// Whether the JSON is a string that stands in it as it is.
bool IsPlainString(std::string_view json) {
  return json.size() > 1 && json.front() == '"' && json.find('\\') == std::string_view::npos;
}

v8::MaybeLocal<v8::String> Copied(std::string_view ascii) {
  if (ascii.size() > static_cast<size_t>(v8::String::kMaxLength)) return {};
  return v8::String::NewFromOneByte(v8::Isolate::GetCurrent(),
                                    reinterpret_cast<const uint8_t*>(ascii.data()),
                                    v8::NewStringType::kNormal, static_cast<int>(ascii.size()));
}

v8::MaybeLocal<v8::Value> Parse(v8::Local<v8::Context> context, std::string_view json) {
  v8::Local<v8::String> text;
  if (!Copied(json).ToLocal(&text)) return {};
  return v8::JSON::Parse(context, text);
}

// The characters of a long text, behind the marks that say how wide they are.
v8::MaybeLocal<v8::String> LongText(std::string bytes,
                                    const std::shared_ptr<MemoryAccount>& account) {
  if (bytes.front() == kOneByteMark) {
    return KeepInPlace<OneByteInPlace>(std::move(bytes), kOneByteMarks, account);
  }
  return KeepInPlace<TwoByteInPlace>(std::move(bytes), kTwoByteMarks, account);
}

bool IsLongText(std::string_view bytes) {
  return !bytes.empty() && (bytes.front() == kOneByteMark || bytes.front() == kTwoByteMark);
}

// Puts a marked text together. What stands between two marks are children of one array or object:
// they are parsed as one, and added to it. Arrays and objects with marks inside are made here.
class MarkedJsonReader final : public ValueReader {
 public:
  MarkedJsonReader(Payload&& payload, std::shared_ptr<MemoryAccount> account,
                   v8::Local<v8::Function> append)
      : text_(std::move(payload.bytes)),
        marks_(std::move(payload.marks)),
        long_texts_(std::move(payload.long_texts)),
        long_strings_(long_texts_.size()),
        account_(std::move(account)),
        append_(v8::Isolate::GetCurrent(), append) {}

  Progress Step(v8::Local<v8::Context> context, FunctionPort& /*port*/,
                BufferSource& /*buffers*/) override {
    return Step(context);
  }

  // Up to the next mark.
  Progress Step(v8::Local<v8::Context> context) {
    v8::Isolate* const isolate = v8::Isolate::GetCurrent();
    const v8::HandleScope scope(isolate);
    if (next_ == marks_.size()) return Progress::kFailed;  // never closed
    const TextMark mark = marks_[next_++];
    if (!IsSound(mark) || !Take(context, mark)) return Progress::kFailed;
    if (!levels_.empty()) return Progress::kMore;
    return next_ == marks_.size() && mark.at + 1 == text_.size() ? Progress::kDone
                                                                 : Progress::kFailed;
  }

  v8::Local<v8::Value> Result() override { return result_.Get(v8::Isolate::GetCurrent()); }

 private:
  static constexpr uint32_t kLongArray = 1U << 16U;

  // An array or object that is being made.
  struct Level {
    v8::Global<v8::Object> object;  // empty until its first child is there
    bool is_array = false;
    uint32_t length = 0;  // of an array: how many of its children are there
    size_t run = 0;       // the character before the children that are not added yet
    size_t child = 0;     // where it begins in the one around it
    size_t at = 0;
  };

  // Marks are in the order of their places, and these lie in the text.
  bool IsSound(const TextMark& mark) const {
    if (mark.at >= text_.size()) return false;
    const bool is_child = mark.kind == Kind::kOpen || mark.kind == Kind::kText;
    if (levels_.empty()) return mark.kind == Kind::kOpen && mark.at == 0 && mark.child == 0;
    const size_t run = levels_.back().run;
    return mark.at >= run && (!is_child || (mark.child > run && mark.child <= mark.at));
  }

  bool Take(v8::Local<v8::Context> context, const TextMark& mark) {
    switch (mark.kind) {
      case Kind::kOpen: {
        if (!levels_.empty() && !EndRun(context, mark.child - 1)) return false;
        Level& level = levels_.emplace_back();
        level.is_array = text_[mark.at] == '[';
        level.run = mark.at;
        level.child = mark.child;
        level.at = mark.at;
        // Growing a long array copies it again and again.
        if (level.is_array && mark.length >= kLongArray && mark.length <= text_.size()) {
          v8::Isolate* const isolate = v8::Isolate::GetCurrent();
          level.object.Reset(isolate, v8::Array::New(isolate, static_cast<int>(mark.length)));
        }
        return true;
      }
      case Kind::kCut:
        return EndRun(context, mark.at);
      case Kind::kText: {
        v8::Local<v8::String> string;
        return EndRun(context, mark.child - 1) && StringOf(mark.text).ToLocal(&string) &&
               AddChild(context, mark.child, mark.at, string, mark.at + 1);
      }
      case Kind::kClose: {
        if (!EndRun(context, mark.at)) return false;
        const Level level = std::move(levels_.back());
        const auto object = ObjectOf(level);
        levels_.pop_back();
        if (levels_.empty()) {
          result_.Reset(v8::Isolate::GetCurrent(), object);
          return true;
        }
        return AddChild(context, level.child, level.at, object, mark.at + 1);
      }
    }
    return false;
  }

  v8::Local<v8::Object> ObjectOf(const Level& level) {
    v8::Isolate* const isolate = v8::Isolate::GetCurrent();
    if (!level.object.IsEmpty()) return level.object.Get(isolate);
    if (level.is_array) return v8::Array::New(isolate);
    return v8::Object::New(isolate);
  }

  // Adds the children up to the character `end`, which is not one of them.
  bool EndRun(v8::Local<v8::Context> context, size_t end) {
    Level& level = levels_.back();
    const size_t start = std::exchange(level.run, end);
    if (start == end) return true;
    const auto [opening, closing] = level.is_array ? std::pair('[', ']') : std::pair('{', '}');
    text_[start] = opening;
    text_[end] = closing;
    v8::Local<v8::Value> children;
    if (!Parse(context, std::string_view(text_).substr(start, end + 1 - start))
             .ToLocal(&children) ||
        !children->IsObject() || children->IsArray() != level.is_array) {
      return false;
    }
    const uint32_t count = level.is_array ? children.As<v8::Array>()->Length() : 0;
    if (level.object.IsEmpty()) {
      level.object.Reset(v8::Isolate::GetCurrent(), children.As<v8::Object>());
    } else if (!Append(context, level, children.As<v8::Object>())) {
      return false;
    }
    level.length += count;
    return true;
  }

  bool Append(v8::Local<v8::Context> context, Level& level, v8::Local<v8::Object> children) {
    v8::Isolate* const isolate = v8::Isolate::GetCurrent();
    const auto object = level.object.Get(isolate);
    if (!append_.IsEmpty()) {
      std::array<v8::Local<v8::Value>, 3> arguments = {
          object, children, v8::Integer::NewFromUnsigned(isolate, level.length)};
      return !append_.Get(isolate)
                  ->Call(context, v8::Undefined(isolate), arguments.size(), arguments.data())
                  .IsEmpty();
    }
    v8::Local<v8::Array> keys;
    if (!children->GetOwnPropertyNames(context).ToLocal(&keys)) return false;
    for (uint32_t i = 0; i < keys->Length(); ++i) {
      v8::Local<v8::Value> key;
      v8::Local<v8::Value> child;
      if (!keys->Get(context, i).ToLocal(&key) || !children->Get(context, key).ToLocal(&child)) {
        return false;
      }
      const auto added = level.is_array
                             ? object->CreateDataProperty(context, level.length + i, child)
                             : object->CreateDataProperty(context, key.As<v8::Name>(), child);
      if (!added.FromMaybe(false)) return false;
    }
    return true;
  }

  // A child that is no part of a run; the next run starts behind it.
  bool AddChild(v8::Local<v8::Context> context, size_t child, size_t at, v8::Local<v8::Value> value,
                size_t next_run) {
    Level& level = levels_.back();
    const auto object = ObjectOf(level);
    if (level.object.IsEmpty()) level.object.Reset(v8::Isolate::GetCurrent(), object);
    level.run = next_run;
    if (level.run >= text_.size()) return false;
    if (level.is_array) {
      return object->CreateDataProperty(context, level.length++, value).FromMaybe(false);
    }
    // The key's string, and the colon behind it.
    v8::Local<v8::Value> key;
    return at > child + 1 &&
           Parse(context, std::string_view(text_).substr(child, at - 1 - child)).ToLocal(&key) &&
           key->IsString() &&
           object->CreateDataProperty(context, key.As<v8::Name>(), value).FromMaybe(false);
  }

  v8::MaybeLocal<v8::String> StringOf(size_t index) {
    v8::Isolate* const isolate = v8::Isolate::GetCurrent();
    if (index >= long_texts_.size()) return {};
    if (long_strings_[index].IsEmpty()) {
      v8::Local<v8::String> string;
      if (!IsLongText(long_texts_[index]) ||
          !LongText(std::move(long_texts_[index]), account_).ToLocal(&string)) {
        return {};
      }
      long_strings_[index].Reset(isolate, string);
    }
    return long_strings_[index].Get(isolate);
  }

  std::string text_;  // brackets are put in where runs begin and end
  const std::vector<TextMark> marks_;
  std::vector<std::string> long_texts_;
  std::vector<v8::Global<v8::String>> long_strings_;  // of those, the ones that were met
  const std::shared_ptr<MemoryAccount> account_;
  const v8::Global<v8::Function> append_;
  size_t next_ = 0;
  std::vector<Level> levels_;
  v8::Global<v8::Value> result_;
};

}  // namespace

std::unique_ptr<ValueReader> ReadMarkedJson(Payload&& payload,
                                            std::shared_ptr<MemoryAccount> account,
                                            v8::Local<v8::Function> append) {
  return std::make_unique<MarkedJsonReader>(std::move(payload), std::move(account), append);
}

v8::MaybeLocal<v8::Value> DecodeJson(v8::Local<v8::Context> context, Payload&& payload,
                                     const std::shared_ptr<MemoryAccount>& account) {
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  if (!payload.marks.empty()) {
    MarkedJsonReader reader(std::move(payload), account, {});
    ValueReader::Progress progress = ValueReader::Progress::kMore;
    while (progress == ValueReader::Progress::kMore)
      progress = reader.Step(context);
    if (progress == ValueReader::Progress::kFailed) return {};
    return reader.Result();
  }
  if (payload.bytes.empty()) return v8::Undefined(isolate).As<v8::Value>();
  v8::Local<v8::String> text;
  if (IsLongText(payload.bytes)) {
    if (!LongText(std::move(payload.bytes), account).ToLocal(&text)) return {};
    return text;
  }
  if (payload.bytes.size() >= kLongText) {
    if (!KeepInPlace<OneByteInPlace>(std::move(payload.bytes), 0, account).ToLocal(&text))
      return {};
    return v8::JSON::Parse(context, text);
  }
  if (!IsPlainString(payload.bytes)) return Parse(context, payload.bytes);
  if (!Copied(std::string_view(payload.bytes).substr(1, payload.bytes.size() - 2)).ToLocal(&text)) {
    return {};
  }
  return text;
}

}  // namespace isobox
