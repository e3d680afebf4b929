#include "native/output/json_pointer.h"

#include <simdjson.h>

#include <charconv>
#include <cstddef>

#include "native/output/compact_json.h"

namespace isobox {
namespace {

using Value = CompactJson::Value;

// `~1` is a slash and `~0` a tilde.
std::string UnescapeStep(std::string_view step) {
  std::string plain;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool is_escape = step[i] == '~' && i + 1 < step.size();
    if (is_escape && (step[i + 1] == '0' || step[i + 1] == '1')) {
      plain.push_back(step[++i] == '0' ? '~' : '/');
    } else {
      plain.push_back(step[i]);
    }
  }
  return plain;
}

// A key between its quotes, against a name as it reads.
bool IsKey(std::string_view key, std::string_view name) {
  if (key.find('\\') == std::string_view::npos) return key == name;
  simdjson::dom::parser parser;
  std::string_view text;
  const std::string quoted = '"' + std::string(key) + '"';
  return parser.parse(quoted).get(text) == simdjson::SUCCESS && text == name;
}

std::optional<Value> FindMember(const CompactJson& json, const Value& object,
                                std::string_view name) {
  std::optional<Value> found;
  CompactJson::Children members(json, object);
  while (members.Next())
    if (IsKey(members.key(), name)) found = members.value();
  return found;
}

std::optional<Value> FindItem(const CompactJson& json, const Value& array, std::string_view step) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool has_leading_zero = step.size() > 1 && step.front() == '0';
  if (error != std::errc() || end != step.data() + step.size() || has_leading_zero)
    return std::nullopt;
  CompactJson::Children items(json, array);
  while (items.Next())
    if (index-- == 0) return items.value();
  return std::nullopt;
}

}  // namespace

std::optional<std::string> SelectJson(std::string_view text, std::string_view pointer) {
  const std::optional<CompactJson> json = CompactJson::Read(text);
  if (!json || (!pointer.empty() && pointer.front() != '/')) return std::nullopt;
  std::optional<Value> value = json->root();
  while (value && !pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(step.size());
    if (value->IsObject()) {
      value = FindMember(*json, *value, UnescapeStep(step));
    } else {
      value = value->IsArray() ? FindItem(*json, *value, step) : std::nullopt;
    }
  }
  if (!value) return std::nullopt;
  return std::string(value->text);
}

}  // namespace isobox
