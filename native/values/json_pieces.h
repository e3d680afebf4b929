#pragma once
// Marks JSON text while it is written, so that its receiver can rebuild it a piece at a time, and
// sets long strings beside it. Isolate's thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "native/core/run_types.h"
#include "native/values/value_codec.h"

namespace isobox {

class JsonPieces {
 public:
  JsonPieces(Payload& out, const PieceSize& most) : out_(out), most_(most) {}

  // What is written next is a child of the innermost array or object, with its key if it has one.
  void BeginChild() { child_ = out_.bytes.size(); }

  // An array of this length, or an object: its bracket is written next.
  void Open(uint32_t length) {
    open_.push_back({.child = child_, .at = out_.bytes.size(), .length = length});
  }
  // The marks of an array or object: its own, and those inside.
  struct Range {
    size_t first = 0;
    size_t end = 0;
  };
  // Its closing bracket has just been written.
  Range Close() {
    Range range;
    if (open_.size() == cut_levels_) {
      out_.marks.push_back({.kind = TextMark::Kind::kClose, .at = out_.bytes.size() - 1});
      range = {.first = open_.back().mark, .end = out_.marks.size()};
      cut_levels_ -= 1;
    }
    open_.pop_back();
    return range;
  }

  // A child is complete; `ns` is what the value costs so far.
  void EndChild(uint64_t ns) {
    if (ns - cut_ns_ < most_.ns && out_.bytes.size() - cut_at_ < most_.bytes) return;
    CutLevels();
    cut_ns_ = ns;
    cut_at_ = out_.bytes.size();
    out_.marks.push_back({.kind = TextMark::Kind::kCut, .at = cut_at_});
  }

  // A long string as a child.
  void AddText(std::string text) {
    CutLevels();
    out_.marks.push_back({.kind = TextMark::Kind::kText,
                          .at = out_.bytes.size(),
                          .child = child_,
                          .text = out_.long_texts.size()});
    out_.bytes.push_back('0');
    out_.long_texts.push_back(std::move(text));
  }

  // An array or object that was closed with these marks, and began at `start`, is written again.
  void Repeat(Range range, size_t start) {
    if (range.first == range.end) return;
    CutLevels();
    const size_t shift = out_.bytes.size() - start;
    for (size_t i = range.first; i < range.end; ++i) {
      TextMark mark = out_.marks[i];
      mark.at += shift;
      mark.child = i == range.first ? child_ : mark.child + shift;
      out_.marks.push_back(mark);
    }
  }

  // To try something and take it back.
  struct Mark {
    size_t marks = 0;
    size_t texts = 0;
    size_t open = 0;
    size_t cut_levels = 0;
    size_t child = 0;
    size_t cut_at = 0;
    uint64_t cut_ns = 0;
  };
  Mark mark() const {
    return {out_.marks.size(),
            out_.long_texts.size(),
            open_.size(),
            cut_levels_,
            child_,
            cut_at_,
            cut_ns_};
  }
  void Rewind(const Mark& mark) {
    out_.marks.resize(mark.marks);
    out_.long_texts.resize(mark.texts);
    open_.resize(mark.open);
    cut_levels_ = mark.cut_levels;
    child_ = mark.child;
    cut_at_ = mark.cut_at;
    cut_ns_ = mark.cut_ns;
  }

 private:
  struct Level {
    size_t child = 0;
    size_t at = 0;
    uint32_t length = 0;
    size_t mark = 0;
  };

  // Marks around what follows all arrays and objects that are open.
  void CutLevels() {
    for (; cut_levels_ < open_.size(); ++cut_levels_) {
      Level& level = open_[cut_levels_];
      level.mark = out_.marks.size();
      out_.marks.push_back({.kind = TextMark::Kind::kOpen,
                            .at = level.at,
                            .child = level.child,
                            .length = level.length});
    }
  }

  Payload& out_;
  const PieceSize most_;
  std::vector<Level> open_;
  size_t cut_levels_ = 0;  // of those that are open, the outermost that have marks inside
  size_t child_ = 0;
  size_t cut_at_ = 0;
  uint64_t cut_ns_ = 0;
};

}  // namespace isobox
