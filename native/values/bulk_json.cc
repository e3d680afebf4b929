#include "native/values/bulk_json.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/values/stop_catch.h"

namespace isobox {
namespace {

// Of V8's serialization format, what JSON has an equivalent of.
enum class Tag : uint8_t {
  kPadding = 0,
  kHole = '-',
  kUndefined = '_',
  kNull = '0',
  kTrue = 'T',
  kFalse = 'F',
  kInt32 = 'I',
  kUint32 = 'U',
  kDouble = 'N',
  kOneByteString = '"',
  kTwoByteString = 'c',
  kReference = '^',
  kObject = 'o',
  kObjectEnd = '{',
  kDenseArray = 'A',
  kDenseArrayEnd = '$',
  kSparseArray = 'a',
  kSparseArrayEnd = '@',
};

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// Lets V8 write plain objects and arrays, and no more bytes than a value may have as JSON.
class PlainDelegate final : public v8_api::AskedDelegate {
 public:
  explicit PlainDelegate(EncodeState& state) : state_(state) {}

  void ThrowDataCloneError(v8::Local<v8::String> message) override {
    state_.isolate->ThrowException(message);
  }

  bool MayWrite(v8::Local<v8::Object> object) override { return state_.IsPlain(object); }

  void* ReallocateBufferMemory(void* old_buffer, size_t size, size_t* actual_size) override {
    if (!state_.HasRoomFor(size / kMostGrowth)) return nullptr;
    *actual_size = size;
    return std::realloc(old_buffer, size);
  }
  void FreeBufferMemory(void* buffer) override { std::free(buffer); }

 private:
  // The buffer doubles as it grows, and most of what V8 writes is no longer than JSON.
  static constexpr size_t kMostGrowth = 4;

  EncodeState& state_;
};

class Transcoder {
 public:
  Transcoder(std::string_view bytes, EncodeState& state, JsonText& text, JsonPieces& pieces)
      : rest_(bytes), state_(state), text_(text), pieces_(pieces), out_(state.out) {}

  // False when this is nothing for JSON, or more than may be sent: the slow way will say which.
  bool WriteValue() {
    switch (TakeTag()) {
      case Tag::kNull:
      case Tag::kUndefined:
      case Tag::kHole:
        out_ += "null";
        break;
      case Tag::kTrue:
        out_ += "true";
        break;
      case Tag::kFalse:
        out_ += "false";
        break;
      case Tag::kInt32:
        text_.WriteNumber(TakeInt32());
        state_.Charge(value_cost::kInteger);
        break;
      case Tag::kUint32:
        text_.WriteNumber(TakeVarint());
        state_.Charge(value_cost::kNumber);
        break;
      case Tag::kDouble: {
        const double number = TakeDouble();
        if (!std::isfinite(number)) return false;
        text_.WriteNumber(number == 0 ? 0 : number);
        state_.Charge(value_cost::kNumber);
        break;
      }
      case Tag::kOneByteString:
        WriteOneByteText(Take(TakeVarint()));
        break;
      case Tag::kTwoByteString:
        WriteTwoByteText(Take(TakeVarint()));
        break;
      case Tag::kReference:
        if (!WriteAgain(TakeVarint())) return false;
        break;
      case Tag::kObject:
        return WriteReceiver(value_cost::kObject, 0, [this] { return WriteObject(); });
      case Tag::kDenseArray: {
        const uint32_t length = TakeVarint();
        return WriteReceiver(value_cost::kArray, length,
                             [this, length] { return WriteDenseArray(length); });
      }
      case Tag::kSparseArray: {
        const uint32_t length = TakeVarint();
        return WriteReceiver(value_cost::kArray, length,
                             [this, length] { return WriteSparseArray(length); });
      }
      default:
        return false;
    }
    return !is_short_ && state_.CheckSize();
  }

 private:
  // An object or array that has been written, for those that refer to it.
  struct Written {
    size_t start = 0;
    size_t end = 0;  // 0 while it is being written
    uint64_t objects = 0;
    ValueCost cost;
    JsonPieces::Range marks;
  };

  bool Has(size_t size) {
    is_short_ = is_short_ || rest_.size() < size;
    return !is_short_;
  }
  std::string_view Take(size_t size) {
    if (!Has(size)) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  Tag TakeTag() {
    while (!rest_.empty() && rest_.front() == static_cast<char>(Tag::kPadding))
      rest_.remove_prefix(1);
    const std::string_view tag = Take(1);
    return tag.empty() ? Tag::kPadding : static_cast<Tag>(tag.front());
  }
  bool TakeTagIf(Tag tag) {
    if (rest_.empty() || rest_.front() != static_cast<char>(tag)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  uint32_t TakeVarint() {
    uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 7) {
      const std::string_view byte = Take(1);
      if (byte.empty()) return 0;
      const auto bits = static_cast<uint8_t>(byte.front());
      value |= (bits & 0x7FU) << shift;
      if ((bits & 0x80U) == 0) break;
    }
    return value;
  }
  int32_t TakeInt32() {
    const uint32_t zigzag = TakeVarint();
    return static_cast<int32_t>((zigzag >> 1U) ^ (0U - (zigzag & 1U)));
  }
  double TakeDouble() {
    double number = 0;
    const std::string_view bytes = Take(sizeof(number));
    if (!bytes.empty()) std::memcpy(&number, bytes.data(), sizeof(number));
    return number;
  }

  // Strings as values.
  void WriteOneByteText(std::string_view bytes) {
    if (bytes.size() >= kLongText) return WriteTextBeside(kOneByteMarks, kOneByteMark, bytes);
    const size_t start = out_.size();
    WriteOneByteString(bytes);
    state_.Charge(value_cost::JsonString(out_.size() - start));
  }

  void WriteTwoByteText(std::string_view bytes) {
    if (bytes.size() / sizeof(uint16_t) >= kLongText) {
      return WriteTextBeside(kTwoByteMarks, kTwoByteMark, bytes);
    }
    const size_t start = out_.size();
    WriteTwoByteString(bytes);
    state_.Charge(value_cost::JsonString(out_.size() - start));
  }

  void WriteTextBeside(size_t marks, char mark, std::string_view bytes) {
    std::string text;
    EncodeState::Reserve(marks + bytes.size(), text);
    text.append(marks, mark).append(bytes);
    state_.Charge(value_cost::Copy(bytes.size()));
    state_.AddBytesBeside(text.size());
    pieces_.AddText(std::move(text));
  }

  void WriteOneByteString(std::string_view bytes) {
    out_.push_back('"');
    text_.WriteUnits(bytes);
    out_.push_back('"');
  }

  void WriteTwoByteString(std::string_view bytes) {
    out_.push_back('"');
    units_.resize(bytes.size() / sizeof(uint16_t));
    if (!units_.empty()) std::memcpy(units_.data(), bytes.data(), units_.size() * sizeof(uint16_t));
    text_.WriteUnits(std::span<const uint16_t>(units_));
    out_.push_back('"');
  }

  // Names of properties are strings, or numbers that stand for strings.
  bool WriteKey(uint64_t& shape, uint32_t index) {
    const size_t start = out_.size();
    switch (TakeTag()) {
      case Tag::kOneByteString:
        WriteOneByteString(Take(TakeVarint()));
        break;
      case Tag::kTwoByteString:
        WriteTwoByteString(Take(TakeVarint()));
        break;
      case Tag::kInt32:
        out_.push_back('"');
        text_.WriteNumber(TakeInt32());
        out_.push_back('"');
        break;
      default:
        return false;
    }
    const std::string_view key = std::string_view(out_).substr(start);
    const auto hash = static_cast<uint32_t>(std::hash<std::string_view>{}(key));
    return state_.ChargeProperty(shape, hash, key.size(), index);
  }

  template <typename Body>
  bool WriteReceiver(const ValueCost& cost, uint32_t length, Body body) {
    const size_t id = written_.size();
    const uint64_t objects = state_.objects();
    const ValueCost before = state_.cost();
    written_.push_back({.start = out_.size()});
    pieces_.Open(length);
    if (!state_.Enter(cost) || !body() || is_short_) return false;
    state_.Leave();
    Written& written = written_[id];
    written.marks = pieces_.Close();
    written.end = out_.size();
    written.objects = state_.objects() - objects;
    written.cost = {.bytes = state_.cost().bytes - before.bytes,
                    .ns = state_.cost().ns - before.ns};
    return state_.CheckSize();
  }

  bool WriteObject() {
    out_.push_back('{');
    bool is_first = true;
    uint64_t shape = value_cost::ShapeCosts::kNoShape;
    uint32_t count = 0;
    for (; !TakeTagIf(Tag::kObjectEnd); ++count) {
      if (is_short_) return false;
      const size_t start = out_.size();
      if (!is_first) out_.push_back(',');
      pieces_.BeginChild();
      if (!WriteKey(shape, count)) return false;
      out_.push_back(':');
      if (TakeTagIf(Tag::kUndefined)) {
        out_.resize(start);
      } else if (WriteValue()) {
        pieces_.EndChild(state_.cost().ns);
        is_first = false;
      } else {
        return false;
      }
    }
    out_.push_back('}');
    return TakeVarint() == count;
  }

  bool WriteElement() {
    pieces_.BeginChild();
    state_.Charge(value_cost::kElement);
    if (!WriteValue()) return false;
    pieces_.EndChild(state_.cost().ns);
    return true;
  }

  bool WriteDenseArray(uint32_t length) {
    out_.push_back('[');
    for (uint32_t i = 0; i < length; ++i) {
      if (i > 0) out_.push_back(',');
      if (!WriteElement()) return false;
    }
    out_.push_back(']');
    // Properties of the array beside its elements would follow.
    return TakeTag() == Tag::kDenseArrayEnd && TakeVarint() == 0 && TakeVarint() == length;
  }

  // Of those, only the ones that have all of their elements after all.
  bool WriteSparseArray(uint32_t length) {
    out_.push_back('[');
    for (uint32_t i = 0; i < length; ++i) {
      if (i > 0) out_.push_back(',');
      const Tag tag = TakeTag();
      if (tag != Tag::kInt32 || TakeInt32() != static_cast<int64_t>(i)) return false;
      if (!WriteElement()) return false;
    }
    out_.push_back(']');
    return TakeTag() == Tag::kSparseArrayEnd && TakeVarint() == length && TakeVarint() == length;
  }

  bool WriteAgain(uint32_t id) {
    if (id >= written_.size() || written_[id].end == 0) return false;
    const Written& written = written_[id];
    const size_t length = written.end - written.start;
    if (!state_.HasRoomFor(length) || !state_.AddObjects(written.objects)) return false;
    state_.Charge(written.cost);
    pieces_.Repeat(written.marks, written.start);
    out_.append(out_, written.start, length);
    return true;
  }

  std::string_view rest_;
  bool is_short_ = false;
  std::vector<Written> written_;
  EncodeState& state_;
  JsonText& text_;
  JsonPieces& pieces_;
  std::string& out_;
  std::vector<uint16_t> units_;
};

}  // namespace

BulkResult WriteInBulk(v8::Local<v8::Object> value, EncodeState& state, JsonText& text,
                       JsonPieces& pieces) {
  if constexpr (!v8_api::AskedDelegate::kIsAsked) return BulkResult::kNotThisWay;
  const EncodeState::Mark mark = state.mark();
  const JsonPieces::Mark pieces_mark = pieces.mark();
  const v8::HandleScope scope(state.isolate);
  const StopCatch caught(state.isolate, state.stop());
  PlainDelegate delegate(state);
  v8::ValueSerializer serializer(state.isolate, &delegate);
  const bool is_serialized = serializer.WriteValue(state.context, value).FromMaybe(false);
  const auto [data, size] = serializer.Release();
  const std::unique_ptr<uint8_t, Free> bytes(data);
  if (caught.IsStopped()) return BulkResult::kStopped;
  const std::string_view serialized(reinterpret_cast<const char*>(bytes.get()), size);
  if (is_serialized) EncodeState::Reserve(size, state.out);  // mostly about as long
  if (is_serialized && Transcoder(serialized, state, text, pieces).WriteValue()) {
    return BulkResult::kWritten;
  }
  state.Rewind(mark);
  pieces.Rewind(pieces_mark);
  return BulkResult::kNotThisWay;
}

}  // namespace isobox
