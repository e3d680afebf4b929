#pragma once
// Bounded capture of a guest's console, limited while the guest runs, so that a flood costs bounded
// memory. Not thread-safe: the run guards it.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/core/run_types.h"

namespace isobox {

class LogBuffer {
 public:
  LogBuffer(uint64_t max_lines, uint64_t max_chars)
      : lines_left_(max_lines), chars_left_(max_chars) {}

  // False once nothing more would be kept, so callers can skip formatting.
  bool HasRoom() const { return lines_left_ > 0 && chars_left_ > 0; }
  // Characters (UTF-16 code units) that still fit.
  uint64_t chars_left() const { return chars_left_; }
  bool truncated() const { return truncated_; }

  // Keeps the entry, its text clipped to the room that is left. Null when nothing was kept; the
  // pointer is good until the next call. Empty lines are kept while a line is left, as they cost no
  // characters.
  const LogEntry* AppendLine(LogLevel level, double timestamp_ms, std::string_view text);

  // Keeps the whole entry or nothing: encoded arguments cannot be clipped. They count with the
  // memory that they take when they are rebuilt, a byte as a character.
  const LogEntry* AppendEntry(LogLevel level, double timestamp_ms, std::vector<Payload> arguments);

  // Notes that something was not kept.
  void MarkTruncated() { truncated_ = true; }

  // What was kept since it was last taken.
  std::vector<LogEntry> Take() { return std::exchange(entries_, {}); }

 private:
  uint64_t lines_left_;
  uint64_t chars_left_;
  bool truncated_ = false;
  std::vector<LogEntry> entries_;
};

// The length of UTF-8 text in UTF-16 code units, which is how JavaScript counts characters.
uint64_t Utf16Length(std::string_view utf8);

// The longest prefix of at most `units` UTF-16 code units that does not split a character.
std::string_view ClipToUtf16Length(std::string_view utf8, uint64_t units);

}  // namespace isobox
