#pragma once
// Values of plain structs as bytes, and back. Both have the same functions, so that one definition
// of a struct's fields (frame_fields.h) writes it and reads it. The reader believes nothing: it
// stays inside its bytes, and what is no valid value makes it fail. One thread.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace isobox {

template <typename T>
concept PlainNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

class FrameWriter {
 public:
  explicit FrameWriter(std::string& out) : out_(out) {}

  template <PlainNumber T>
  void Value(T& number) {
    Raw(&number, sizeof number);
  }
  void Value(bool& flag) { out_.push_back(flag ? 1 : 0); }
  void Value(std::string& text) {
    Size(text.size());
    out_.append(text);
  }
  // An enumeration whose values count from zero up to `last`.
  template <typename Enum>
  void Choice(Enum& choice, Enum /*last*/) {
    out_.push_back(static_cast<char>(choice));
  }
  template <typename T, typename Fields>
  void List(std::vector<T>& list, Fields fields) {
    Size(list.size());
    for (T& element : list)
      fields(*this, element);
  }

 private:
  void Size(uint64_t size) { Raw(&size, sizeof size); }
  void Raw(const void* bytes, size_t size) { out_.append(static_cast<const char*>(bytes), size); }

  std::string& out_;
};

class FrameReader {
 public:
  // The bytes are this side's own copy: they do not change while they are read.
  explicit FrameReader(std::string_view bytes) : rest_(bytes) {}

  template <PlainNumber T>
  void Value(T& number) {
    Raw(&number, sizeof number);
  }
  void Value(bool& flag) {
    const uint8_t byte = Byte();
    if (byte > 1) Fail();
    flag = byte == 1;
  }
  void Value(std::string& text) {
    const uint64_t size = Size();
    text.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  template <typename Enum>
  void Choice(Enum& choice, Enum last) {
    const uint8_t byte = Byte();
    if (byte > static_cast<uint8_t>(last)) return Fail();
    choice = static_cast<Enum>(byte);
  }
  // Grows with what is there, not with what is announced: an element takes a byte at least.
  template <typename T, typename Fields>
  void List(std::vector<T>& list, Fields fields) {
    for (uint64_t left = Size(); left > 0 && ok_; --left)
      fields(*this, list.emplace_back());
  }

  // Everything was valid and nothing is left.
  bool IsDone() const { return ok_ && rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  void Fail() {
    ok_ = false;
    rest_ = {};
  }
  uint8_t Byte() {
    uint8_t byte = 0;
    Raw(&byte, sizeof byte);
    return byte;
  }
  // Of something that must still be there: at least a byte for each.
  uint64_t Size() {
    uint64_t size = 0;
    Raw(&size, sizeof size);
    if (size > rest_.size()) Fail();
    return ok_ ? size : 0;
  }
  void Raw(void* out, size_t size) {
    if (size > rest_.size()) return Fail();
    std::memcpy(out, rest_.data(), size);
    rest_.remove_prefix(size);
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace isobox
