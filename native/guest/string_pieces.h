#pragma once
// The characters of a string, in pieces that stay in the processor's cache.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "native/values/v8_api.h"
#include "v8.h"

namespace isobox {

// Calls `look` with one piece after the other, as spans of uint8_t or uint16_t, until it says
// false; returns what it said last. Of strings that are not flat every piece is searched for anew.
template <typename Look>
bool ForEachPiece(v8::Isolate* isolate, v8::Local<v8::String> string, Look look) {
  constexpr size_t kPieceBytes = 16U << 10U;
  const auto length = static_cast<size_t>(string->Length());
  const auto run = [&](auto unit) {
    using Unit = decltype(unit);
    std::vector<Unit> piece(std::min(length, kPieceBytes / sizeof(Unit)));
    for (size_t at = 0; at < length; at += piece.size()) {
      const size_t count = std::min(piece.size(), length - at);
      if constexpr (sizeof(Unit) == 1) {
        v8_api::CopyUnits(isolate, string, at, count, reinterpret_cast<char*>(piece.data()));
      } else {
        v8_api::CopyUnits(isolate, string, at, count, piece.data());
      }
      if (!look(std::span<const Unit>(piece).first(count))) return false;
    }
    return true;
  };
  if (string->IsOneByte()) return run(uint8_t());
  return run(uint16_t());
}

}  // namespace isobox
