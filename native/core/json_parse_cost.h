#pragma once
// What V8's JSON parser takes to read a text: outside V8's heap for what is still open, which
// nobody counts, and on it for the value. Found out from the text alone.

#include <cstdint>
#include <span>
#include <vector>

namespace isobox {

// What V8's parser holds outside its heap for what is still open, as measured on all versions, and
// rounded up.
inline constexpr uint64_t kOpenContainer = 96;
inline constexpr uint64_t kWaitingElement = 16;
inline constexpr uint64_t kWaitingProperty = 32;

// What the value takes of V8's heap at least.
inline constexpr uint64_t kContainer = 32;
inline constexpr uint64_t kSlot = 8;

// An upper bound that takes a fraction of the time of parsing: most texts are found to fit by it.
class QuickParseCost {
 public:
  template <typename Unit>
  bool Look(std::span<const Unit> units) {
    uint64_t opened = 0;
    uint64_t commas = 0;
    for (const Unit unit : units) {
      opened += (unit == '[' || unit == '{') ? 1 : 0;
      commas += unit == ',' ? 1 : 0;
    }
    opened_ += opened;
    commas_ += commas;
    return true;
  }
  // All open at once, and with all of their properties waiting.
  bool Fits(uint64_t bytes) const {
    return opened_ * (kOpenContainer + kWaitingProperty) + commas_ * kWaitingProperty <= bytes;
  }

 private:
  uint64_t opened_ = 0;
  uint64_t commas_ = 0;
};

// Follows the text as the parser will.
class ParseCost {
 public:
  ParseCost(uint64_t bytes, uint64_t text_bytes) : bytes_(bytes), inside_(text_bytes) {}

  // False at the end: where the text costs too much, or is no JSON any more.
  template <typename Unit>
  bool Look(std::span<const Unit> units) {
    for (const Unit unit : units) {
      if (is_in_string_) {
        LookInString(unit);
      } else if (!LookOutside(unit)) {
        return false;
      }
    }
    return Fits();
  }
  bool Fits() const { return outside_ <= bytes_ && inside_ <= bytes_; }

 private:
  struct Container {
    bool is_object = false;
    uint32_t waiting = 0;
    uint64_t PerEntry() const { return is_object ? kWaitingProperty : kWaitingElement; }
  };

  void LookInString(uint32_t unit) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (unit == '\\') {
      is_escaped_ = true;
    } else if (unit == '"') {
      is_in_string_ = false;
    }
  }

  bool LookOutside(uint32_t unit) {
    switch (unit) {
      case '"':
        is_in_string_ = true;
        return true;
      case '[':
      case '{':
        open_.push_back({unit == '{', 0});
        outside_ += kOpenContainer;
        return outside_ <= bytes_;
      case ',':
        if (open_.empty()) return false;
        open_.back().waiting += 1;
        outside_ += open_.back().PerEntry();
        inside_ += kSlot;
        return outside_ <= bytes_;
      case ']':
      case '}':
        if (open_.empty() || open_.back().is_object != (unit == '}')) return false;
        outside_ -= kOpenContainer + open_.back().waiting * open_.back().PerEntry();
        inside_ += kContainer;
        open_.pop_back();
        return true;
      default:
        return true;
    }
  }

  const uint64_t bytes_;
  uint64_t inside_;
  uint64_t outside_ = 0;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
  std::vector<Container> open_;
};

}  // namespace isobox
