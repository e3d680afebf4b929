#pragma once
// Paths of guest modules. No file system: segments, separated by slashes, below one root.

#include <optional>
#include <string>
#include <string_view>

namespace isobox {

// True for specifiers that name a file relative to the importer.
bool IsRelativeSpecifier(std::string_view specifier);

// The path a relative specifier leads to; empty when it would leave the root or name the root.
std::optional<std::string> ResolvePath(std::string_view referrer_path, std::string_view specifier);

// True when the last segment ends in a dot and letters or digits.
bool HasExtension(std::string_view path);

}  // namespace isobox
