#include "native/output/intent_filter.h"

#include <functional>
#include <unordered_map>
#include <vector>

#include "native/output/words.h"

namespace isobox {
namespace {

constexpr std::size_t kLinesPerGroup = 10;
constexpr std::size_t kLeastParagraphs = 3;

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

// The words of an intent, and how many of them a section has.
class Intent {
 public:
  explicit Intent(std::string_view text) {
    WordReader words(text);
    while (words.Next())
      seen_in_.emplace(words.word(), 0);
  }

  bool HasWords() const { return !seen_in_.empty(); }

  // Whether at least 30 % of the words occur in the section.
  bool Fits(std::string_view section) {
    sections_ += 1;
    std::size_t hits = 0;
    WordReader words(section);
    while (words.Next()) {
      const auto found = seen_in_.find(words.word());
      if (found == seen_in_.end() || found->second == sections_) continue;
      found->second = sections_;
      hits += 1;
      if (hits * 10 >= seen_in_.size() * 3) return true;
    }
    return false;
  }

 private:
  // The last section in which each word was seen, counted from 1.
  std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> seen_in_;
  std::size_t sections_ = 0;
};

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

std::vector<std::string_view> SplitParagraphs(std::string_view text) {
  std::vector<std::string_view> paragraphs;
  while (!text.empty()) {
    const std::size_t end = text.find("\n\n");
    const std::string_view paragraph = text.substr(0, end);
    if (!IsBlank(paragraph)) paragraphs.push_back(paragraph);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 2);
  }
  return paragraphs;
}

// Without the line feed behind each group.
std::vector<std::string_view> GroupLines(std::string_view text) {
  std::vector<std::string_view> groups;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    for (std::size_t line = 1; line < kLinesPerGroup && end != std::string_view::npos; ++line)
      end = text.find('\n', end + 1);
    groups.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return groups;
}

}  // namespace

std::optional<std::string> FilterByIntent(std::string_view text, std::string_view intent) {
  if (text.size() <= kIntentThreshold) return std::nullopt;
  Intent wanted(intent);
  if (!wanted.HasWords()) return std::nullopt;
  std::vector<std::string_view> sections = SplitParagraphs(text);
  if (sections.size() < kLeastParagraphs) sections = GroupLines(text);
  if (sections.size() <= 1) return std::nullopt;
  std::string kept;
  std::size_t count = 0;
  for (const std::string_view section : sections) {
    if (!wanted.Fits(section)) continue;
    if (count > 0) kept.append("\n\n");
    kept.append(section);
    count += 1;
  }
  if (count == 0) return std::nullopt;
  std::string answer = "[Filtered by intent: '";
  answer.append(intent).append("' — ").append(std::to_string(count)).append("/");
  return answer.append(std::to_string(sections.size())).append(" sections]\n\n").append(kept);
}

}  // namespace isobox
