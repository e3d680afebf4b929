// No specifier leads out of the root, and what it leads to is a path in its only form. The first
// line of an input is the path of the importer.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "native/core/module_path.h"

namespace {

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = all.find('\n');
  const std::string referrer(all.substr(0, cut));
  const std::string specifier(cut == std::string_view::npos ? "" : all.substr(cut + 1));
  const auto path = isobox::ResolvePath(referrer, specifier);
  static_cast<void>(isobox::HasExtension(specifier));
  if (!path) return 0;
  Require(!path->empty() && path->front() != '/');
  std::string_view rest = *path;
  while (!rest.empty()) {
    const std::size_t end = rest.find('/');
    const std::string_view segment = rest.substr(0, end);
    Require(segment != "." && segment != "..");
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  // From the root the same path leads to itself.
  Require(isobox::ResolvePath("", "./" + *path) == path);
  return 0;
}
