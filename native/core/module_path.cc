#include "native/core/module_path.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace isobox {
namespace {

// Appends the segments of `path`; false when ".." goes above the root.
bool AppendSegments(std::string_view path, std::vector<std::string_view>& segments) {
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (segment.empty() || segment == ".") continue;
    if (segment != "..") {
      segments.push_back(segment);
    } else if (segments.empty()) {
      return false;
    } else {
      segments.pop_back();
    }
  }
  return true;
}

}  // namespace

bool IsRelativeSpecifier(std::string_view specifier) {
  return specifier.substr(0, 2) == "./" || specifier.substr(0, 3) == "../";
}

std::optional<std::string> ResolvePath(std::string_view referrer_path, std::string_view specifier) {
  std::vector<std::string_view> segments;
  const size_t directory_end = referrer_path.rfind('/');
  if (directory_end != std::string_view::npos &&
      !AppendSegments(referrer_path.substr(0, directory_end), segments)) {
    return std::nullopt;
  }
  if (!AppendSegments(specifier, segments) || segments.empty()) return std::nullopt;
  std::string path;
  for (const std::string_view segment : segments) {
    if (!path.empty()) path += '/';
    path += segment;
  }
  return path;
}

bool HasExtension(std::string_view path) {
  const size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == path.size()) return false;
  return std::all_of(path.begin() + static_cast<std::ptrdiff_t>(dot) + 1, path.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

}  // namespace isobox
