#include "native/process/frame_stream.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace isobox {
namespace {

using Length = uint32_t;
// A buffer that was needed for a long frame is not kept for short ones.
constexpr size_t kKeptBytes = size_t{1} << 16U;

}  // namespace

bool FrameSender::Flush() {
  bool has_written = false;
  while (!waiting_.empty()) {
    const std::string& frame = waiting_.front();
    const size_t count = ring_.Write(frame.data() + sent_, frame.size() - sent_);
    if (count == 0) break;
    has_written = true;
    sent_ += count;
    if (sent_ < frame.size()) continue;
    waiting_.pop_front();
    sent_ = 0;
  }
  return has_written && ring_.TakeSleeper();
}

bool FrameReceiver::Fill(size_t size) {
  while (frame_.size() < size) {
    // Grows with what has come, not with what was announced.
    const size_t held = frame_.size();
    const size_t count = std::min(size - held, ring_.Available());
    if (count == 0) return false;
    frame_.resize(held + count);
    frame_.resize(held + ring_.Read(frame_.data() + held, count));
  }
  return true;
}

std::optional<std::string_view> FrameReceiver::Next(size_t most) {
  if (is_complete_) {
    if (frame_.capacity() > kKeptBytes) frame_ = std::string();
    frame_.clear();
    is_complete_ = false;
  }
  if (IsBroken() || !Fill(sizeof(Length))) return std::nullopt;
  Length length = 0;
  std::memcpy(&length, frame_.data(), sizeof length);
  if (length == 0 || length > most) {
    is_broken_ = true;
    return std::nullopt;
  }
  if (!Fill(sizeof length + length)) return std::nullopt;
  is_complete_ = true;
  return std::string_view(frame_).substr(sizeof length);
}

}  // namespace isobox
