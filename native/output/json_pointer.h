#pragma once
// One part of a JSON text, named by a JSON pointer (RFC 6901). Standard library and simdjson.

#include <optional>
#include <string>
#include <string_view>

namespace isobox {

// The part as it is written, without white space; of members with one name the last. Empty when the
// text is no JSON, or the pointer leads nowhere in it.
std::optional<std::string> SelectJson(std::string_view text, std::string_view pointer);

}  // namespace isobox
