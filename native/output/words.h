#pragma once
// A text word by word, in lower case. Standard library only.

#include <cstddef>
#include <string>
#include <string_view>

namespace isobox {

// Words are runs of letters and digits of any script. Case is folded for Latin, Greek and Cyrillic.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  // False at the end. The word is valid until the next call.
  bool Next();
  std::string_view word() const { return word_; }

 private:
  // Appends the character at the position to the word; false when it is part of none.
  bool Take();

  std::string_view text_;
  std::size_t position_ = 0;
  std::string word_;
};

}  // namespace isobox
