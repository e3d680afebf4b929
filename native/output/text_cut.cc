#include "native/output/text_cut.h"

#include <array>
#include <cstdio>

namespace isobox {
namespace {

bool IsInsideCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::size_t FloorBoundary(std::string_view text, std::size_t position) {
  if (position >= text.size()) return text.size();
  while (position > 0 && IsInsideCharacter(text[position]))
    position -= 1;
  return position;
}

std::size_t CeilBoundary(std::string_view text, std::size_t position) {
  while (position < text.size() && IsInsideCharacter(text[position]))
    position += 1;
  return position < text.size() ? position : text.size();
}

std::string KilobytesOf(std::size_t bytes) {
  std::array<char, 40> digits{};
  const int length =
      std::snprintf(digits.data(), digits.size(), "%.1fKB", static_cast<double>(bytes) / 1024.0);
  return {digits.data(), static_cast<std::size_t>(length)};
}

}  // namespace isobox
