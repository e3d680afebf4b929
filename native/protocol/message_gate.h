#pragma once
// Which lines are messages to a runner. Standard library and simdjson only; one thread.

#include <simdjson.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace isobox {

enum class Verdict {
  // JSON in the shape of one of the messages.
  kMessage,
  // Nothing but white space.
  kBlank,
  // JSON as far as simdjson follows it: integers beyond 64 bits and halves of surrogate pairs are
  // JSON too, so that V8's parser has the last word. Nested no deeper than other messages.
  kUnsure,
  kNotUtf8,
  kNotJson,
  kTooDeep,
  // JSON, but of no known type or with a field of the wrong type.
  kNoMessage,
  kOutOfMemory,
};

// How deep messages nest: the deepest value that crosses, and the message around it.
inline constexpr std::size_t kMaxMessageDepth = 512;

// Judges lines one after the other. Its memory grows with the longest line (about fifteen bytes for
// each of a line's at worst), and is given back behind a long one.
class MessageGate {
 public:
  Verdict Judge(std::string_view line);
  // What a line that was kNoMessage lacks, for people: `"id" is not a string`.
  const std::string& defect() const { return defect_; }

 private:
  simdjson::error_code Parse(std::string_view line, simdjson::dom::element& root);

  simdjson::dom::parser parser_;
  std::string padded_;  // simdjson reads a few bytes beyond the end
  std::string defect_;
};

}  // namespace isobox
