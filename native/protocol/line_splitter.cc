#include "native/protocol/line_splitter.h"

#include <utility>

namespace isobox {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::optional<Line> LineSplitter::Next() {
  assembled_ = {};
  const std::size_t end = unread_.find('\n');
  if (end != std::string_view::npos) {
    const std::string_view rest = unread_.substr(0, end);
    unread_.remove_prefix(end + 1);
    return TakeLine(rest);
  }
  Keep(std::exchange(unread_, {}));
  if (is_finished_ && kept_bytes_ > 0) return TakeLine({});
  return std::nullopt;
}

// Ends the line that was kept, if any, with these bytes.
std::optional<Line> LineSplitter::TakeLine(std::string_view rest) {
  const std::uint64_t bytes = kept_bytes_ + rest.size();
  const bool is_in_pieces = kept_bytes_ > 0;
  lines_ += 1;
  kept_bytes_ = 0;
  if (bytes > max_bytes_) {
    kept_ = {};
    return Line{.kind = Line::Kind::kTooLong, .number = lines_, .bytes = bytes, .text = {}};
  }
  if (is_in_pieces) {
    kept_.append(rest);
    assembled_ = std::exchange(kept_, {});
    rest = assembled_;
  }
  if (lines_ == 1 && rest.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    rest.remove_prefix(kByteOrderMark.size());
  return Line{.kind = Line::Kind::kText, .number = lines_, .bytes = bytes, .text = rest};
}

void LineSplitter::Keep(std::string_view bytes) {
  kept_bytes_ += bytes.size();
  if (kept_bytes_ > max_bytes_) {
    kept_ = {};
  } else {
    kept_.append(bytes);
  }
}

}  // namespace isobox
