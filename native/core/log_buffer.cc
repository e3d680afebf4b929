#include "native/core/log_buffer.h"

#include <algorithm>
#include <utility>

namespace isobox {
namespace {

// UTF-16 code units that the character starting with this UTF-8 byte takes; 0 for a continuation.
uint64_t UnitsOf(unsigned char byte) {
  if ((byte & 0xC0U) == 0x80U) return 0;
  return byte >= 0xF0U ? 2 : 1;
}

}  // namespace

uint64_t Utf16Length(std::string_view utf8) {
  uint64_t units = 0;
  for (const char byte : utf8)
    units += UnitsOf(static_cast<unsigned char>(byte));
  return units;
}

std::string_view ClipToUtf16Length(std::string_view utf8, uint64_t units) {
  uint64_t used = 0;
  for (size_t i = 0; i < utf8.size(); ++i) {
    const uint64_t next = UnitsOf(static_cast<unsigned char>(utf8[i]));
    if (used + next > units) return utf8.substr(0, i);
    used += next;
  }
  return utf8;
}

const LogEntry* LogBuffer::AppendLine(LogLevel level, double timestamp_ms, std::string_view text) {
  if (lines_left_ == 0 || (chars_left_ == 0 && !text.empty())) {
    truncated_ = true;
    return nullptr;
  }
  const std::string_view kept = ClipToUtf16Length(text, chars_left_);
  if (kept.size() < text.size()) truncated_ = true;
  lines_left_ -= 1;
  chars_left_ -= Utf16Length(kept);
  if (kept.size() < text.size()) chars_left_ = 0;
  entries_.push_back({level, timestamp_ms, std::string(kept), {}});
  return &entries_.back();
}

const LogEntry* LogBuffer::AppendEntry(LogLevel level, double timestamp_ms,
                                       std::vector<Payload> arguments) {
  uint64_t size = 0;
  for (const Payload& argument : arguments)
    size += std::max(argument.size(), argument.cost.bytes);
  if (lines_left_ == 0 || size > chars_left_) {
    truncated_ = true;
    return nullptr;
  }
  lines_left_ -= 1;
  chars_left_ -= size;
  entries_.push_back({level, timestamp_ms, {}, std::move(arguments)});
  return &entries_.back();
}

}  // namespace isobox
