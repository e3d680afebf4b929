// A console never keeps more lines or characters than it may, whatever text it is given,
// well-formed or not. The first three bytes of an input are the limits and the length of a line.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "native/core/log_buffer.h"

namespace {

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::uint64_t max_lines = data[0] % 8;
  const std::uint64_t max_chars = data[1];
  const std::size_t piece = 1 + data[2] % 50;
  isobox::LogBuffer buffer(max_lines, max_chars);
  std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
  while (!rest.empty()) {
    const std::string text(rest.substr(0, piece));
    const std::string_view clipped = isobox::ClipToUtf16Length(text, max_chars / 2);
    Require(std::string_view(text).substr(0, clipped.size()) == clipped);
    Require(isobox::Utf16Length(clipped) <= max_chars / 2);
    buffer.AppendLine(isobox::LogLevel::kLog, 0, text);
    rest.remove_prefix(text.size());
  }
  std::uint64_t chars = 0;
  const auto entries = buffer.Take();
  for (const isobox::LogEntry& entry : entries) {
    chars += isobox::Utf16Length(entry.text);
  }
  Require(entries.size() <= max_lines);
  Require(chars <= max_chars);
  return 0;
}
