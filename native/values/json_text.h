#pragma once
// JSON text as it is written. It is kept to ASCII, so that it is valid UTF-8 and a one-byte string
// at once and never needs to be converted.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace isobox {

// From here on copying a text costs more than keeping it where it is.
inline constexpr size_t kLongText = 32U << 10U;

// A long string by itself is no JSON but its own characters, behind so many of one of these.
inline constexpr char kOneByteMark = '\1';
inline constexpr char kTwoByteMark = '\2';
inline constexpr size_t kOneByteMarks = 1;
inline constexpr size_t kTwoByteMarks = 2;  // keeps what follows aligned

class JsonText {
 public:
  explicit JsonText(std::string& out) : out_(out) {}

  template <typename Number>
  void WriteNumber(Number number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    out_.append(text.data(), end);
  }

  // A string's content.
  template <typename Unit>
  void WriteUnits(std::span<const Unit> units) {
    for (; units.size() >= kBlock; units = units.subspan(kBlock)) {
      const auto block = units.template first<kBlock>();
      if (sizeof(Unit) == 1 && !HasDirty(block)) {
        out_.append(block.begin(), block.end());
      } else {
        WriteBlock<Unit>(block);
      }
    }
    WriteBlock(units);
  }
  void WriteUnits(std::string_view one_byte) { WriteUnits(Units(one_byte)); }

  // The same for one-byte content that has been written from `start` on as it is: most can stand
  // so.
  void EscapeFrom(size_t start) {
    auto rest = Units(std::string_view(out_).substr(start));
    while (rest.size() >= kBlock && !HasDirty(rest.first<kBlock>()))
      rest = rest.subspan(kBlock);
    if (std::none_of(rest.begin(), rest.end(), IsDirty<uint8_t>)) return;
    const std::string dirty(rest.begin(), rest.end());
    out_.resize(out_.size() - dirty.size());
    WriteUnits(dirty);
  }

 private:
  static constexpr size_t kBlock = 64;
  static constexpr size_t kLongestEscape = 6;

  static std::span<const uint8_t> Units(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
  }

  // Whether a unit cannot stand as it is. Without branches, so that loops of it compile to vector
  // instructions.
  template <typename Unit>
  static constexpr bool IsDirty(Unit unit) {
    constexpr Unit kFirst = 0x20;
    constexpr Unit kLast = 0x7E;
    return static_cast<bool>((unit == '"') | (unit == '\\') |
                             (static_cast<Unit>(unit - kFirst) > kLast - kFirst));
  }

  template <typename Unit>
  static bool HasDirty(std::span<const Unit, kBlock> block) {
    Unit dirty = 0;
    for (const Unit unit : block)
      dirty |= static_cast<Unit>(IsDirty(unit));
    return dirty != 0;
  }

  // At most a block.
  template <typename Unit>
  void WriteBlock(std::span<const Unit> block) {
    std::array<char, kBlock * kLongestEscape> text;  // NOLINT(*-member-init): written as needed
    char* end = text.data();
    for (const Unit unit : block) {
      if (IsDirty(unit)) {
        end = Escape(end, unit);
      } else {
        *end++ = static_cast<char>(unit);
      }
    }
    out_.append(text.data(), end);
  }

  // Returns the end of what it has written.
  static char* Escape(char* to, uint16_t unit) {
    *to++ = '\\';
    switch (unit) {
      case '"':
      case '\\':
        *to++ = static_cast<char>(unit);
        return to;
      case '\n':
        *to++ = 'n';
        return to;
      case '\r':
        *to++ = 'r';
        return to;
      case '\t':
        *to++ = 't';
        return to;
      default:
        break;
    }
    constexpr std::string_view kHexDigits = "0123456789abcdef";
    *to++ = 'u';
    for (const unsigned shift : {12U, 8U, 4U, 0U})
      *to++ = kHexDigits[(static_cast<unsigned>(unit) >> shift) & 0xFU];
    return to;
  }

  std::string& out_;
};

}  // namespace isobox
