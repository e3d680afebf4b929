#pragma once
// Places in UTF-8 text where it may be cut, and how sizes are written. Standard library only.

#include <cstddef>
#include <string>
#include <string_view>

namespace isobox {

// The last place at or before this one, and the first at or behind it, that is not inside a
// character. Positions behind the end are the end.
std::size_t FloorBoundary(std::string_view text, std::size_t position);
std::size_t CeilBoundary(std::string_view text, std::size_t position);

// As people read it: 1,536 bytes are `1.5KB`.
std::string KilobytesOf(std::size_t bytes);

}  // namespace isobox
