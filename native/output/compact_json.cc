#include "native/output/compact_json.h"

#include <simdjson.h>

#include <limits>
#include <utility>

namespace isobox {
namespace {

// The length of the string that the text begins with, with its quotes.
std::size_t StringLength(std::string_view text) {
  std::size_t end = 0;
  std::size_t backslashes = 0;
  do {
    end = text.find('"', end + 1);
    backslashes = 0;
    while (text[end - backslashes - 1] == '\\')
      backslashes += 1;
  } while (backslashes % 2 != 0);
  return end + 1;
}

// The length of the number, boolean or null that the text begins with.
std::size_t ScalarLength(std::string_view text) {
  std::size_t end = 0;
  while (text[end] != ',' && text[end] != ']' && text[end] != '}')
    end += 1;
  return end;
}

bool IsJson(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  return parser.parse(text.data(), text.size()).get(root) == simdjson::SUCCESS;
}

}  // namespace

std::optional<CompactJson> CompactJson::Read(std::string_view text) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max() || !IsJson(text)) return std::nullopt;
  std::string compact(text.size(), ' ');
  std::size_t length = 0;
  if (simdjson::minify(text.data(), text.size(), compact.data(), length) != simdjson::SUCCESS)
    return std::nullopt;
  compact.resize(length);
  CompactJson json(std::move(compact));
  json.FindContainers();
  return json;
}

void CompactJson::FindContainers() {
  std::vector<std::pair<std::uint32_t, std::size_t>> open;  // number and place of each
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '"') {
      i += StringLength(std::string_view(text_).substr(i)) - 1;
    } else if (c == '{' || c == '[') {
      open.emplace_back(static_cast<std::uint32_t>(containers_.size()), i);
      containers_.push_back({});
    } else if (c == '}' || c == ']') {
      const auto [number, start] = open.back();
      open.pop_back();
      containers_[number] = {static_cast<std::uint32_t>(i + 1 - start),
                             static_cast<std::uint32_t>(containers_.size())};
    }
  }
}

bool CompactJson::Children::Next() {
  // A value is followed by a comma or the bracket that closes the parent.
  if (!value_.text.empty()) {
    rest_.remove_prefix(value_.text.size());
    if (rest_.front() == ',') rest_.remove_prefix(1);
  }
  if (rest_.front() == '}' || rest_.front() == ']') return false;
  if (has_keys_) {
    const std::size_t length = StringLength(rest_);
    key_ = rest_.substr(1, length - 2);
    rest_.remove_prefix(length + 1);
  }
  value_ = {};
  if (rest_.front() == '{' || rest_.front() == '[') {
    const Container& container = json_.containers_[next_container_];
    value_ = {rest_.substr(0, container.bytes), next_container_};
    next_container_ = container.next;
  } else if (rest_.front() == '"') {
    value_.text = rest_.substr(0, StringLength(rest_));
  } else {
    value_.text = rest_.substr(0, ScalarLength(rest_));
  }
  return true;
}

}  // namespace isobox
