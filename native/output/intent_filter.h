#pragma once
// The sections of a text that have to do with what its reader is after. Standard library only.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace isobox {

// Texts up to this size are short enough to be read whole.
inline constexpr std::size_t kIntentThreshold = 5000;

// Sections are paragraphs, or groups of ten lines where there are fewer than three paragraphs. Kept
// are those in which at least 30 % of the intent's words occur. Empty when the text stays as it is:
// short, in one section, without a word in the intent or a section that fits.
std::optional<std::string> FilterByIntent(std::string_view text, std::string_view intent);

}  // namespace isobox
