#pragma once
// Reads the parts that values of the clone profile are made of, and none beyond the end of the
// bytes.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "native/values/wire.h"

namespace isobox {

class WireCursor {
 public:
  explicit WireCursor(std::string_view bytes) : rest_(bytes) {}

  size_t left() const { return rest_.size(); }

  std::optional<uint8_t> Byte() {
    const auto raw = Raw(1);
    if (!raw) return std::nullopt;
    return static_cast<uint8_t>(raw->front());
  }

  std::optional<uint64_t> Varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = Byte();
      if (!byte) return std::nullopt;
      value |= static_cast<uint64_t>(*byte & 0x7FU) << shift;
      if ((*byte & 0x80U) == 0) return value;
    }
    return std::nullopt;
  }

  std::optional<std::string_view> Raw(uint64_t length) {
    if (length > rest_.size()) return std::nullopt;
    const std::string_view raw = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return raw;
  }

  template <typename T>
  std::optional<T> Fixed() {
    const auto raw = Raw(sizeof(T));
    if (!raw) return std::nullopt;
    T value;
    std::memcpy(&value, raw->data(), sizeof(T));
    return value;
  }

  bool TakeIf(wire::Tag tag) {
    if (rest_.empty() || rest_.front() != static_cast<char>(tag)) return false;
    rest_.remove_prefix(1);
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace isobox
