#include "native/output/words.h"

#include <cstdint>

namespace isobox {
namespace {

struct Character {
  std::uint32_t code;
  std::size_t bytes;
};

// Of bytes that are no UTF-8, each counts by itself, as a mark.
constexpr std::uint32_t kReplacement = 0xFFFD;

Character Decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  if (bytes == 0 || bytes > text.size()) return {kReplacement, 1};
  std::uint32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {kReplacement, 1};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  return {code, bytes};
}

bool IsBetween(std::uint32_t code, std::uint32_t first, std::uint32_t last) {
  return code >= first && code <= last;
}

// Beyond ASCII everything is part of words but the blocks of marks and symbols.
bool IsWordCharacter(std::uint32_t code) {
  if (code < 0x80) {
    return IsBetween(code, '0', '9') || IsBetween(code, 'a', 'z') || IsBetween(code, 'A', 'Z');
  }
  const bool is_latin_mark = code < 0xC0 && code != 0xAA && code != 0xB5 && code != 0xBA;
  return !is_latin_mark && code != 0xD7 && code != 0xF7 && !IsBetween(code, 0x2000, 0x206F) &&
         !IsBetween(code, 0x20A0, 0x20CF) && !IsBetween(code, 0x2190, 0x2BFF) &&
         !IsBetween(code, 0x3000, 0x3004) && !IsBetween(code, 0x3008, 0x3020) &&
         !IsBetween(code, 0xFF00, 0xFF0F) && !IsBetween(code, 0xFFF0, 0xFFFF) &&
         !IsBetween(code, 0x1F000, 0x1FAFF);
}

std::uint32_t ToLower(std::uint32_t code) {
  if (IsBetween(code, 'A', 'Z')) return code + 0x20;
  if (code < 0xC0) return code;
  if (IsBetween(code, 0xC0, 0xDE)) return code + 0x20;
  // Pairs in which the capital is even: Latin Extended-A, but for two stretches.
  if (IsBetween(code, 0x139, 0x148) || IsBetween(code, 0x179, 0x17E)) return code + (code & 1U);
  if (IsBetween(code, 0x100, 0x177)) return code | 1U;
  if (IsBetween(code, 0x391, 0x3A9)) return code + 0x20;
  if (IsBetween(code, 0x400, 0x40F)) return code + 0x50;
  if (IsBetween(code, 0x410, 0x42F)) return code + 0x20;
  return code;
}

// Letters that have a lower case here take two bytes.
void AppendTwoBytes(std::string& text, std::uint32_t code) {
  text.push_back(static_cast<char>(0xC0U | (code >> 6U)));
  text.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
}

}  // namespace

bool WordReader::Next() {
  word_.clear();
  while (position_ < text_.size()) {
    if (!Take() && !word_.empty()) return true;
  }
  return !word_.empty();
}

bool WordReader::Take() {
  const Character character = Decode(text_.substr(position_));
  const std::string_view bytes = text_.substr(position_, character.bytes);
  position_ += character.bytes;
  if (!IsWordCharacter(character.code)) return false;
  const std::uint32_t lower = ToLower(character.code);
  if (lower == character.code) {
    word_.append(bytes);
  } else if (lower < 0x80) {
    word_.push_back(static_cast<char>(lower));
  } else {
    AppendTwoBytes(word_, lower);
  }
  return true;
}

}  // namespace isobox
