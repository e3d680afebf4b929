#pragma once
// Frames over a ring. The sender never waits: what does not fit stays with it. The receiver holds
// at most one frame, of at most so many bytes. One thread each.

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "native/process/ring.h"

namespace isobox {

class FrameSender {
 public:
  explicit FrameSender(RingPlace ring) : ring_(ring) {}

  void Add(std::string frame) {
    if (!frame.empty()) waiting_.push_back(std::move(frame));
  }
  // Writes what fits. True when bytes were written and the reader is to be woken for them.
  bool Flush();
  bool IsEmpty() const { return waiting_.empty(); }
  RingWriter& ring() { return ring_; }

 private:
  RingWriter ring_;
  std::deque<std::string> waiting_;
  size_t sent_ = 0;  // of the first that waits
};

class FrameReceiver {
 public:
  explicit FrameReceiver(RingPlace ring) : ring_(ring) {}

  // The next frame without its length, good until the next call. Empty when it is not all there
  // yet, or when the stream is broken: a frame of no bytes, or of more than `most`.
  std::optional<std::string_view> Next(size_t most);
  bool IsBroken() const { return is_broken_ || ring_.IsBroken(); }
  RingReader& ring() { return ring_; }

 private:
  // True when so many bytes of the frame, and its length before it, are here.
  bool Fill(size_t size);

  RingReader ring_;
  std::string frame_;
  bool is_complete_ = false;
  bool is_broken_ = false;
};

}  // namespace isobox
