#pragma once
// JSON text without white space, whose parts are known by where they stand in it. Standard library
// and simdjson; one thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isobox {

class CompactJson {
 public:
  // A part of the text. Valid as long as the CompactJson stays where it is.
  struct Value {
    std::string_view text;
    std::uint32_t container = 0;  // its number, if it is an object or an array

    bool IsObject() const { return text.front() == '{'; }
    bool IsArray() const { return text.front() == '['; }
    bool IsContainer() const { return IsObject() || IsArray(); }
    bool IsString() const { return text.front() == '"'; }
    bool IsNumber() const {
      return text.front() == '-' || (text.front() >= '0' && text.front() <= '9');
    }
  };

  // The members of an object or the items of an array, in their order.
  class Children {
   public:
    Children(const CompactJson& json, Value parent)
        : json_(json),
          has_keys_(parent.IsObject()),
          rest_(parent.text.substr(1)),
          next_container_(parent.container + 1) {}

    bool Next();
    // Between its quotes, as it is written; empty in an array.
    std::string_view key() const { return key_; }
    const Value& value() const { return value_; }

   private:
    const CompactJson& json_;
    const bool has_keys_;
    std::string_view rest_;
    std::uint32_t next_container_;
    std::string_view key_;
    Value value_;
  };

  // Empty when it is not JSON as simdjson reads it, which has no integers beyond 64 bits, no halves
  // of surrogate pairs, and 1,024 levels.
  static std::optional<CompactJson> Read(std::string_view text);

  Value root() const { return {text_, 0}; }

 private:
  struct Container {
    std::uint32_t bytes;  // with its brackets
    std::uint32_t next;   // the number of the first container behind it
  };

  explicit CompactJson(std::string text) : text_(std::move(text)) {}
  void FindContainers();

  std::string text_;
  std::vector<Container> containers_;  // in the order in which they open
};

}  // namespace isobox
