// Any bytes, in any pieces, are the lines that splitting them at once gives. The first two bytes of
// an input are the limit and the length of a piece.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "native/protocol/line_splitter.h"

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

struct Expected {
  std::string text;
  bool is_too_long;
  std::uint64_t bytes;
};

std::vector<Expected> SplitAtOnce(std::string_view all, std::size_t max_bytes) {
  std::vector<Expected> lines;
  while (!all.empty()) {
    const std::size_t end = std::min(all.find('\n'), all.size());
    const bool is_too_long = end > max_bytes;
    std::string_view text = is_too_long ? "" : all.substr(0, end);
    // The mark counts for the bound, but is no part of the text.
    if (lines.empty() && text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
      text.remove_prefix(kByteOrderMark.size());
    }
    lines.push_back({std::string(text), is_too_long, end});
    all.remove_prefix(std::min(end + 1, all.size()));
  }
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t max_bytes = 4 + data[0] % 60;
  const std::size_t piece = 1 + data[1] % 40;
  const std::string_view all(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::vector<Expected> expected = SplitAtOnce(all, max_bytes);

  isobox::LineSplitter splitter(max_bytes);
  std::size_t count = 0;
  const auto take = [&] {
    while (const auto line = splitter.Next()) {
      Require(count < expected.size());
      const Expected& wanted = expected[count++];
      Require(line->number == count);
      Require(line->text == wanted.text);
      Require(line->bytes == wanted.bytes);
      Require((line->kind == isobox::Line::Kind::kTooLong) == wanted.is_too_long);
    }
  };
  for (std::size_t at = 0; at < all.size(); at += piece) {
    // A copy of its own for each piece, so that reading past it is seen.
    const std::string bytes(all.substr(at, piece));
    splitter.Feed(bytes);
    take();
  }
  splitter.Feed({});
  splitter.Finish();
  take();
  Require(count == expected.size());
  return 0;
}
