#include "native/core/code_cache.h"

#include <functional>
#include <utility>

namespace isobox {
namespace {

// What the list and the map take for one entry.
constexpr size_t kEntryBytes = 256;

size_t HashOf(const CodeCache::Unit& unit) {
  constexpr size_t kSpread = 0x9E3779B97F4A7C15;
  const std::hash<std::string_view> hash;
  const size_t named = hash(unit.filename) * kSpread + static_cast<size_t>(unit.kind);
  return named * kSpread + hash(unit.source);
}

}  // namespace

size_t CodeCache::Entry::bytes() const {
  return kEntryBytes + filename.size() + source.size() + (code ? code->size() : 0);
}

bool CodeCache::Entry::Is(const Unit& unit) const {
  return kind == unit.kind && filename == unit.filename && source == unit.source;
}

void CodeCache::State::Remove(size_t hash) {
  const auto found = by_hash.find(hash);
  if (found == by_hash.end()) return;
  bytes -= found->second->bytes();
  entries.erase(found->second);
  by_hash.erase(found);
}

CodeCache::Finding CodeCache::Find(const Unit& unit) {
  const size_t hash = HashOf(unit);
  {
    auto state = state_.Lock();
    if (const auto found = state->by_hash.find(hash); found != state->by_hash.end()) {
      state->entries.splice(state->entries.begin(), state->entries, found->second);
      const Entry& entry = *found->second;
      if (entry.code && entry.Is(unit)) return {.code = entry.code};
      return {.is_wanted = true};
    }
  }
  Insert({.hash = hash});
  return {};
}

void CodeCache::Put(const Unit& unit, std::vector<uint8_t> code) {
  Insert({.hash = HashOf(unit),
          .kind = unit.kind,
          .filename = std::string(unit.filename),
          .source = std::string(unit.source),
          .code = std::make_shared<const std::vector<uint8_t>>(std::move(code))});
}

void CodeCache::Insert(Entry entry) {
  const size_t hash = entry.hash;
  const size_t bytes = entry.bytes();
  if (bytes > max_bytes_) return;
  auto state = state_.Lock();
  state->Remove(hash);
  while (state->bytes + bytes > max_bytes_)
    state->Remove(state->entries.back().hash);
  state->entries.push_front(std::move(entry));
  state->by_hash.emplace(hash, state->entries.begin());
  state->bytes += bytes;
}

}  // namespace isobox
