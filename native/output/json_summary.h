#pragma once
// What a large JSON text holds, in a few lines. Standard library and simdjson.

#include <optional>
#include <string>
#include <string_view>

namespace isobox {

// An array of objects with the same keys as its first items and what identifies the others;
// anything else as a list of its parts, each with its path and size. Empty when the text is no JSON
// object or array, makes only one part, or would become longer.
std::optional<std::string> SummarizeJson(std::string_view text);

}  // namespace isobox
