#pragma once
// Text that is too long, cut between lines and between characters. Standard library only.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace isobox {

enum class Truncation {
  // The first 60 % and the last 40 %, in whole lines where there are lines.
  kMiddle,
  kTail,
};

// Empty when the text fits. What is kept has at most `max_bytes`; the mark in its middle or at its
// end comes on top.
std::optional<std::string> Truncate(std::string_view text, std::size_t max_bytes, Truncation how);

}  // namespace isobox
