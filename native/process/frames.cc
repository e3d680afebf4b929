#include "native/process/frames.h"

#include <cstring>
#include <limits>
#include <utility>

#include "native/process/frame_fields.h"

namespace isobox {
namespace {

template <typename Io>
void Fields(Io& io, OpenFrame& frame) {
  Fields(io, frame.options);
}
template <typename Io>
void Fields(Io& io, StartFrame& frame) {
  Fields(io, frame.request);
}
template <typename Io>
void Fields(Io& io, ReplyFrame& frame) {
  io.Value(frame.run);
  Fields(io, frame.reply);
}
template <typename Io>
void Fields(Io& io, InvokeFrame& frame) {
  io.Value(frame.run);
  Fields(io, frame.message);
}
template <typename Io>
void Fields(Io& io, StopFrame& frame) {
  io.Value(frame.run);
  io.Choice(frame.cause, StopCause::kCrashed);
  io.Value(frame.reason);
}
template <typename Io>
void Fields(Io& io, PrewarmFrame& frame) {
  Values(io, frame.request, frame.count);
}
template <typename Io>
void Fields(Io& /*io*/, AskFrame& /*frame*/) {}
template <typename Io>
void Fields(Io& io, ReadyFrame& frame) {
  io.List(frame.locks, kEachValue);
}
template <typename Io>
void Fields(Io& io, LogFrame& frame) {
  io.Value(frame.run);
  Fields(io, frame.entry);
}
template <typename Io>
void Fields(Io& io, OutcomeFrame& frame) {
  io.Value(frame.run);
  Fields(io, frame.outcome);
}
template <typename Io>
void Fields(Io& io, WarmFrame& frame) {
  io.Value(frame.request);
}
template <typename Io>
void Fields(Io& io, NumbersFrame& frame) {
  Values(io, frame.threads, frame.running, frame.parked, frame.queued, frame.warm, frame.stuck);
}

using Length = uint32_t;

template <typename Frame>
std::string Write(Frame& frame) {
  std::string out(sizeof(Length), '\0');
  out.push_back(static_cast<char>(frame.index()));
  FrameWriter writer(out);
  std::visit([&writer](auto& one) { Fields(writer, one); }, frame);
  if (out.size() - sizeof(Length) > std::numeric_limits<Length>::max()) return {};
  const auto length = static_cast<Length>(out.size() - sizeof(Length));
  std::memcpy(out.data(), &length, sizeof length);
  return out;
}

// Makes `frame` the alternative of this index.
template <typename Frame, size_t... Index>
bool Become(Frame& frame, size_t index, std::index_sequence<Index...> /*all*/) {
  return ((index == Index && (frame.template emplace<Index>(), true)) || ...);
}

template <typename Frame>
std::optional<Frame> Read(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  Frame frame;
  const auto index = static_cast<unsigned char>(bytes.front());
  if (!Become(frame, index, std::make_index_sequence<std::variant_size_v<Frame>>())) {
    return std::nullopt;
  }
  FrameReader reader(bytes.substr(1));
  std::visit([&reader](auto& one) { Fields(reader, one); }, frame);
  if (!reader.IsDone()) return std::nullopt;
  return frame;
}

}  // namespace

std::string WriteFrame(ToGuests frame) { return Write(frame); }
std::string WriteFrame(ToHost frame) { return Write(frame); }
std::optional<ToGuests> ReadToGuests(std::string_view bytes) { return Read<ToGuests>(bytes); }
std::optional<ToHost> ReadToHost(std::string_view bytes) { return Read<ToHost>(bytes); }

}  // namespace isobox
