#include "native/output/json_summary.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "native/output/compact_json.h"
#include "native/output/text_cut.h"

namespace isobox {
namespace {

using Value = CompactJson::Value;
using Children = CompactJson::Children;

constexpr std::size_t kPartBytes = 4096;
constexpr std::size_t kShownItems = 3;
constexpr std::size_t kShownKeys = 5;
constexpr std::size_t kShownIdentities = 20;
constexpr std::size_t kIdentityFields = 2;
constexpr std::size_t kIdentityBytes = 200;
constexpr std::array<std::string_view, 6> kIdentifying = {"id",   "name", "title",
                                                          "slug", "key",  "label"};

// Strings stay as they are written, so that none can begin a line.
std::string_view ShownScalar(const Value& value) {
  std::string_view text = value.text;
  if (value.IsString()) text = text.substr(1, text.size() - 2);
  return text.substr(0, FloorBoundary(text, kIdentityBytes));
}

// `id=4, name=plum`; empty for what nothing identifies.
std::string IdentityOf(const CompactJson& json, const Value& value) {
  if (!value.IsObject()) return {};
  std::array<std::optional<Value>, kIdentifying.size()> fields;
  Children members(json, value);
  while (members.Next()) {
    const auto found = std::find(kIdentifying.begin(), kIdentifying.end(), members.key());
    if (found != kIdentifying.end())
      fields[static_cast<std::size_t>(found - kIdentifying.begin())] = members.value();
  }
  std::string identity;
  std::size_t count = 0;
  for (std::size_t i = 0; i < fields.size() && count < kIdentityFields; ++i) {
    const std::optional<Value>& field = fields[i];
    if (!field || !(field->IsString() || field->IsNumber())) continue;
    if (count > 0) identity.append(", ");
    identity.append(kIdentifying[i]).append("=").append(ShownScalar(*field));
    count += 1;
  }
  return identity;
}

std::vector<std::string_view> KeysOf(const CompactJson& json, const Value& object) {
  std::vector<std::string_view> keys;
  Children members(json, object);
  while (members.Next())
    keys.push_back(members.key());
  return keys;
}

void SortUnique(std::vector<std::string_view>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

// An array whose items are objects with the same keys, told by its first items.
class UniformArray {
 public:
  // Empty when it is none.
  static std::optional<std::string> Describe(const CompactJson& json) {
    UniformArray array(json);
    if (!json.root().IsArray() || !array.Read()) return std::nullopt;
    return array.Print();
  }

 private:
  explicit UniformArray(const CompactJson& json) : json_(json) {}

  // False as soon as an item differs.
  bool Read() {
    Children items(json_, json_.root());
    std::vector<std::string_view> order;
    while (items.Next()) {
      const Value& item = items.value();
      if (!item.IsObject()) return false;
      std::vector<std::string_view> keys = KeysOf(json_, item);
      if (count_ == 0) {
        order = keys;
        SortUnique(keys);
        keys_ = std::move(keys);
      } else if (keys != order) {
        SortUnique(keys);
        if (keys != keys_) return false;
      }
      if (count_ < kShownItems) {
        shown_.append(count_ == 0 ? "" : ",\n").append(item.text);
      } else if (identities_ <= kShownIdentities) {
        AddIdentity(item);
      }
      count_ += 1;
    }
    return count_ > kShownItems;
  }

  void AddIdentity(const Value& item) {
    const std::string identity = IdentityOf(json_, item);
    if (identity.empty()) return;
    if (identities_ > 0) remaining_.append("; ");
    remaining_.append(identities_ < kShownIdentities ? identity : "...");
    identities_ += 1;
  }

  std::string Print() const {
    std::string answer = "[Array of " + std::to_string(count_) + " items with uniform structure (" +
                         std::to_string(keys_.size()) + " keys: ";
    for (std::size_t i = 0; i < std::min(keys_.size(), kShownKeys); ++i)
      answer.append(i == 0 ? "" : ", ").append(keys_[i]);
    answer.append(")]\n\nShowing first 3:\n").append(shown_);
    if (identities_ == 0) return answer;
    answer.append("\n\nRemaining ").append(std::to_string(count_ - kShownItems));
    return answer.append(" items: ").append(remaining_);
  }

  const CompactJson& json_;
  std::vector<std::string_view> keys_;
  std::size_t count_ = 0;
  std::string shown_;
  std::string remaining_;
  std::size_t identities_ = 0;
};

// The parts of a value, a line each.
class PartList {
 public:
  PartList(const CompactJson& json, std::size_t max_bytes) : json_(json), max_bytes_(max_bytes) {}

  // Empty when there is only one part, or the list would be too long.
  std::optional<std::string> Describe() {
    Walk(json_.root());
    std::string answer = "[JSON chunked: " + std::to_string(parts_) + " chunks, ";
    answer.append(KilobytesOf(bytes_)).append(" total]\n\n");
    if (parts_ <= 1 || answer.size() + lines_.size() >= max_bytes_) return std::nullopt;
    return answer.append(lines_);
  }

 private:
  void Walk(const Value& value) {
    if (lines_.size() >= max_bytes_) return;
    if (value.IsArray()) return WalkArray(value);
    if (!value.IsObject() || IsSmallAndFlat(value)) {
      return AddPart(value.text.size(), IdentityOf(json_, value));
    }
    Children members(json_, value);
    while (members.Next()) {
      const std::size_t outer = path_.size();
      if (outer > 0) path_.append(" > ");
      path_.append(members.key());
      Walk(members.value());
      path_.resize(outer);
    }
  }

  // Items in a row are one part, up to its size; a larger one stands alone.
  void WalkArray(const Value& array) {
    Children items(json_, array);
    std::size_t index = 0;
    std::size_t first = 0;
    std::size_t bytes = 0;
    std::string identity;
    while (items.Next()) {
      const std::size_t item_bytes = items.value().text.size();
      if (index > first && bytes + item_bytes > kPartBytes) {
        AddItems(first, index - 1, bytes, identity);
        first = index;
        bytes = 0;
      }
      if (index == first) identity = IdentityOf(json_, items.value());
      bytes += item_bytes;
      index += 1;
    }
    if (index == 0) return AddPart(array.text.size(), {});
    AddItems(first, index - 1, bytes, identity);
  }

  bool IsSmallAndFlat(const Value& object) const {
    if (object.text.size() > kPartBytes) return false;
    Children members(json_, object);
    while (members.Next())
      if (members.value().IsContainer()) return false;
    return true;
  }

  void AddItems(std::size_t first, std::size_t last, std::size_t bytes,
                const std::string& identity) {
    const std::size_t outer = path_.size();
    if (outer > 0) path_.append(" > ");
    path_.append("[").append(std::to_string(first));
    if (last > first) path_.append("-").append(std::to_string(last));
    path_.append("]");
    AddPart(bytes, identity);
    path_.resize(outer);
  }

  void AddPart(std::size_t bytes, const std::string& identity) {
    parts_ += 1;
    bytes_ += bytes;
    if (lines_.size() >= max_bytes_) return;
    lines_.append("  ").append(path_).append(" — ").append(KilobytesOf(bytes));
    if (!identity.empty()) lines_.append(" (").append(identity).append(")");
    lines_.append("\n");
  }

  const CompactJson& json_;
  const std::size_t max_bytes_;
  std::string path_;
  std::string lines_;
  std::size_t parts_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

std::optional<std::string> SummarizeJson(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || (text[start] != '{' && text[start] != '['))
    return std::nullopt;
  const std::optional<CompactJson> json = CompactJson::Read(text);
  if (!json) return std::nullopt;
  std::optional<std::string> array = UniformArray::Describe(*json);
  if (array && array->size() < text.size()) return array;
  return PartList(*json, text.size()).Describe();
}

}  // namespace isobox
