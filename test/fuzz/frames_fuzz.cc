// Whatever a guest process says, its host stays inside the bytes of a frame, takes no more memory
// than they do by some factor, and reads what it believes back to the same bytes. An input is what
// the process has written into its ring: lengths and frames.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "native/process/frame_stream.h"
#include "native/process/frames.h"

namespace {

constexpr std::size_t kRingBytes = 1024;
constexpr std::size_t kMostBytes = 2048;

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  isobox::RingState state{};
  std::array<char, kRingBytes> bytes{};
  const isobox::RingPlace ring{&state, bytes.data(), bytes.size()};
  isobox::RingWriter writer(ring);
  isobox::FrameReceiver receiver(ring);
  const auto* rest = reinterpret_cast<const char*>(data);
  while (size > 0 && !receiver.IsBroken()) {
    const std::size_t written = writer.Write(rest, size);
    rest += written;
    size -= written;
    while (const auto frame = receiver.Next(kMostBytes)) {
      Require(frame->size() <= kMostBytes);
      auto read = isobox::ReadToHost(*frame);
      if (!read) break;
      const std::string again = isobox::WriteFrame(*std::move(read));
      Require(again.substr(sizeof(std::uint32_t)) == *frame);
    }
    if (written == 0 && writer.HasRoom()) break;
  }
  return 0;
}
