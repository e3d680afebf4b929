#pragma once
// A stream of bytes as lines, in bounded memory. Standard library only; one thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace isobox {

// A line without its line feed. A byte order mark at the start of the stream is no part of it.
struct Line {
  enum class Kind {
    kText,
    // Longer than the bound: its bytes are gone, and `text` is empty.
    kTooLong,
  };
  Kind kind;
  // Counted from 1, empty lines included.
  std::uint64_t number;
  std::uint64_t bytes;
  std::string_view text;
};

// Feed gives it bytes, Next takes lines until there are none. Lines that lie within one chunk are
// not copied. What is kept between chunks is the beginning of one line, and never more than the
// bound: the rest of a line that is too long is counted, not stored.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // To be called when Next has given everything. The bytes must stay as long as Next is called.
  void Feed(std::string_view bytes) { unread_ = bytes; }
  // The stream is over: what has come of a last line without a line feed is a line too.
  void Finish() { is_finished_ = true; }
  // Valid until the next call of anything here.
  std::optional<Line> Next();

 private:
  std::optional<Line> TakeLine(std::string_view rest);
  void Keep(std::string_view bytes);

  const std::size_t max_bytes_;
  std::string_view unread_;
  std::string kept_;       // the beginning of a line of which the end has not come
  std::string assembled_;  // the line that Next gave last, if it came in pieces
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t lines_ = 0;
  bool is_finished_ = false;
};

}  // namespace isobox
