#pragma once
// JSON text as it is written. It is kept to ASCII, so that it is valid UTF-8 and a one-byte string
// at once and never needs to be converted.

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace isobox {

class JsonText {
 public:
  explicit JsonText(std::string& out) : out_(out) {}

  template <typename Number>
  void WriteNumber(Number number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    out_.append(text.data(), end);
  }

  // A unit of a string's content.
  void WriteUnit(uint16_t unit) {
    if (IsClean(unit)) {
      out_.push_back(static_cast<char>(unit));
    } else {
      WriteEscaped(unit);
    }
  }

  // A string's content, of which most can stand as it is.
  void WriteOneByte(std::string_view text) {
    const size_t clean = CleanPrefix(text);
    out_.append(text.substr(0, clean));
    WriteUnits(text.substr(clean));
  }

  // The same for content that has been written from `start` on as it is.
  void EscapeFrom(size_t start) {
    const size_t clean = start + CleanPrefix(std::string_view(out_).substr(start));
    if (clean == out_.size()) return;
    const std::string rest = out_.substr(clean);
    out_.resize(clean);
    WriteUnits(rest);
  }

 private:
  // Whether a unit can stand as it is. Without branches, so that loops of it compile to vector
  // instructions.
  template <typename Unit>
  static constexpr bool IsClean(Unit unit) {
    return static_cast<bool>((unit >= 0x20) & (unit < 0x7F) & (unit != '"') & (unit != '\\'));
  }

  // How many characters from the start need no escape. Blocks are looked at as a whole.
  static size_t CleanPrefix(std::string_view text) {
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

  void WriteUnits(std::string_view text) {
    for (const char character : text)
      WriteUnit(static_cast<uint8_t>(character));
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
    constexpr std::string_view kHexDigits = "0123456789abcdef";
    out_ += "\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U}) {
      out_.push_back(kHexDigits[(static_cast<unsigned>(unit) >> shift) & 0xFU]);
    }
  }

  std::string& out_;
};

}  // namespace isobox
