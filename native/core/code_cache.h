#pragma once
// Compiled code of sources that ran before, by content. The sources themselves are compared, so
// nobody gets the code of another text, whatever its hash is. Any thread.

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "native/core/guarded.h"
#include "native/core/run_types.h"

namespace isobox {

class CodeCache {
 public:
  using Code = std::shared_ptr<const std::vector<uint8_t>>;

  struct Unit {
    SourceKind kind = SourceKind::kScript;
    std::string_view filename;
    std::string_view source;
  };

  struct Finding {
    Code code;               // null when there is none
    bool is_wanted = false;  // there is none, and this is not the first who asks
  };

  // The bound is on sources and code together. Who was asked for least recently goes first.
  explicit CodeCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  Finding Find(const Unit& unit);
  // Takes the place of what is there. What is larger than the whole bound is not kept.
  void Put(const Unit& unit, std::vector<uint8_t> code);

  size_t bytes() { return state_.Lock()->bytes; }

 private:
  // A source that was asked for once is no more than its hash.
  struct Entry {
    size_t hash = 0;
    SourceKind kind = SourceKind::kScript;
    std::string filename;
    std::string source;
    Code code;

    size_t bytes() const;
    bool Is(const Unit& unit) const;
  };
  struct State {
    std::list<Entry> entries;  // the one asked for last comes first
    std::unordered_map<size_t, std::list<Entry>::iterator> by_hash;
    size_t bytes = 0;

    void Remove(size_t hash);
  };

  void Insert(Entry entry);

  const size_t max_bytes_;
  Guarded<State> state_;
};

}  // namespace isobox
