#pragma once
// What V8 pays for the parts of a value that it rebuilds: measured on Node 20 to 26, rounded up.
// Bytes are of its heap, and of the C library's for buffers.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "native/core/run_types.h"

namespace isobox::value_cost {

inline constexpr ValueCost kObject{.bytes = 56, .ns = 100};
inline constexpr ValueCost kArray{.bytes = 48, .ns = 100};
inline constexpr ValueCost kElement{.bytes = 16, .ns = 20};  // growing arrays are there twice
inline constexpr ValueCost kInteger{.bytes = 0, .ns = 20};
inline constexpr ValueCost kNumber{.bytes = 16, .ns = 100};
inline constexpr ValueCost kMap{.bytes = 200, .ns = 450};
inline constexpr ValueCost kSet{.bytes = 160, .ns = 300};
inline constexpr ValueCost kEntry{.bytes = 40, .ns = 250};  // of a Map or Set
inline constexpr ValueCost kDate{.bytes = 96, .ns = 400};
inline constexpr ValueCost kRegExp{.bytes = 320, .ns = 2500};
inline constexpr ValueCost kBuffer{.bytes = 256, .ns = 600};
inline constexpr ValueCost kView{.bytes = 128, .ns = 500};  // on top of its buffer
inline constexpr ValueCost kFunction{.bytes = 480, .ns = 1500};

// A string of JSON text.
constexpr ValueCost JsonString(size_t bytes) {
  // Short ones are looked up in V8's table of strings.
  constexpr size_t kShort = 16;
  constexpr uint64_t kHeaderBytes = 24;
  return {.bytes = kHeaderBytes + bytes, .ns = bytes <= kShort ? 300 : 80 + 3 * uint64_t{bytes}};
}

// Bytes that are copied as they are.
constexpr ValueCost Copy(size_t bytes) { return {.bytes = bytes, .ns = bytes / 2}; }

// A string as its characters.
constexpr ValueCost String(size_t bytes) { return {.bytes = 24 + bytes, .ns = 80 + bytes / 2}; }

// The source of a regular expression, which V8 parses: 16 bytes and 50 ns for each character.
constexpr ValueCost RegExpSource(size_t length) {
  return {.bytes = 16 * uint64_t{length}, .ns = 50 * uint64_t{length}};
}

// The properties of objects. V8 gives objects with the same names in the same order a shape in
// common; a name that leads to a new one costs ten times as much as one that does not.
class ShapeCosts {
 public:
  // The shape of an object without properties.
  static constexpr uint64_t kNoShape = 0x9E3779B97F4A7C15U;

  // One more property of an object that has `index` of them and this shape, which becomes its new
  // one.
  ValueCost Add(uint64_t& shape, uint32_t name_hash, size_t name_bytes, uint32_t index) {
    // Objects with many properties have a table of their own instead of a shape.
    constexpr uint32_t kMostShaped = 128;
    const uint64_t name_ns = 3 * uint64_t{name_bytes};
    if (index >= kMostShaped) return {.bytes = 96 + name_bytes, .ns = 600 + name_ns};
    shape = (shape ^ name_hash) * 0xFF51AFD7ED558CCDU;
    shape ^= shape >> 32U;
    if (IsKnown(shape)) return {.bytes = 8, .ns = 60 + name_ns};
    return {.bytes = 224 + name_bytes, .ns = 1500 + name_ns};
  }

 private:
  static constexpr size_t kKnown = 4096;
  // Small values do without the table.
  static constexpr size_t kUnasked = 64;

  bool IsKnown(uint64_t shape) {
    if (asked_++ < kUnasked) return false;
    if (!known_) known_ = std::make_unique<std::array<uint64_t, kKnown>>();
    uint64_t& place = (*known_)[shape % kKnown];
    const bool is_known = place == shape;
    place = shape;
    return is_known;
  }

  size_t asked_ = 0;
  std::unique_ptr<std::array<uint64_t, kKnown>> known_;  // forgets what others replace
};

}  // namespace isobox::value_cost
