#include "native/output/truncation.h"

#include <algorithm>

#include "native/output/text_cut.h"

namespace isobox {
namespace {

// Lines in a row, with their line feeds.
struct LineRun {
  std::size_t lines = 0;
  std::size_t bytes = 0;
};

LineRun FirstLines(std::string_view text, std::size_t max_bytes) {
  LineRun run;
  while (run.bytes < text.size()) {
    const std::size_t feed = text.find('\n', run.bytes);
    const std::size_t end = feed == std::string_view::npos ? text.size() : feed + 1;
    if (end > max_bytes) break;
    run = {run.lines + 1, end};
  }
  return run;
}

LineRun LastLines(std::string_view text, std::size_t max_bytes) {
  LineRun run;
  while (run.bytes < text.size()) {
    const std::string_view before = text.substr(0, text.size() - run.bytes - 1);
    const std::size_t feed = before.rfind('\n');
    const std::size_t start = feed == std::string_view::npos ? 0 : feed + 1;
    if (text.size() - start > max_bytes) break;
    run = {run.lines + 1, text.size() - start};
  }
  return run;
}

std::size_t CountLines(std::string_view text) {
  const auto feeds = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return text.empty() || text.back() == '\n' ? feeds : feeds + 1;
}

// 60 % without an overflow.
std::size_t HeadBudget(std::size_t bytes) { return bytes / 5 * 3 + bytes % 5 * 3 / 5; }

std::string CutCharacters(std::string_view text, std::size_t max_bytes) {
  const std::size_t head_bytes = HeadBudget(max_bytes);
  const std::size_t head = FloorBoundary(text, head_bytes);
  const std::size_t tail = CeilBoundary(text, text.size() - (max_bytes - head_bytes));
  std::string answer(text.substr(0, head));
  answer.append("\n... [truncated middle — ").append(KilobytesOf(tail - head));
  return answer.append(" omitted] ...\n").append(text.substr(tail));
}

std::string CutLines(std::string_view text, std::size_t max_bytes) {
  const std::size_t head_budget = HeadBudget(max_bytes);
  LineRun head = FirstLines(text, head_budget);
  // The first line is kept even if it takes more than its share.
  if (head.lines == 0) head = {1, text.find('\n') + 1};
  const std::string_view rest = text.substr(head.bytes);
  const LineRun tail = LastLines(rest, max_bytes - std::max(head_budget, head.bytes));
  const std::string_view omitted = rest.substr(0, rest.size() - tail.bytes);
  std::string answer(text.substr(0, head.bytes));
  answer.append("\n... [").append(std::to_string(CountLines(omitted))).append(" lines / ");
  answer.append(KilobytesOf(omitted.size())).append(" truncated — showing first ");
  answer.append(std::to_string(head.lines)).append(" + last ");
  answer.append(std::to_string(tail.lines)).append(" lines] ...\n");
  return answer.append(rest.substr(omitted.size()));
}

}  // namespace

std::optional<std::string> Truncate(std::string_view text, std::size_t max_bytes, Truncation how) {
  if (text.size() <= max_bytes) return std::nullopt;
  if (how == Truncation::kTail) {
    const std::string_view kept = text.substr(0, FloorBoundary(text, max_bytes));
    return std::string(kept).append("\n... [output truncated]");
  }
  // A first line that alone is too long is cut by characters, as a text of one line is.
  const std::size_t feed = text.find('\n');
  const bool is_one_line = feed == std::string_view::npos || feed + 1 >= text.size();
  if (is_one_line || feed + 1 > max_bytes) return CutCharacters(text, max_bytes);
  return CutLines(text, max_bytes);
}

}  // namespace isobox
