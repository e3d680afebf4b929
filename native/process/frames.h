#pragma once
// What a host and its guest processes say to each other. Frames are read from this side's own copy
// of their bytes, and a frame that is not exactly what it should be is no frame. One thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "native/core/guest.h"
#include "native/core/host_channel.h"
#include "native/core/pool.h"
#include "native/core/run_types.h"

namespace isobox {

// The first: how the pool is to be made.
struct OpenFrame {
  PoolOptions options;
};
struct StartFrame {
  RunRequest request;
};
struct ReplyFrame {
  RunId run = 0;
  ReplyMessage reply;
};
struct InvokeFrame {
  RunId run = 0;
  InvokeMessage message;
};
struct StopFrame {
  RunId run = 0;
  StopCause cause = StopCause::kTerminated;
  std::string reason;
};
struct PrewarmFrame {
  uint64_t request = 0;
  uint64_t count = 0;
};
// Asks for a NumbersFrame.
struct AskFrame {};

using ToGuests =
    std::variant<OpenFrame, StartFrame, ReplyFrame, InvokeFrame, StopFrame, PrewarmFrame, AskFrame>;

// What the kernel keeps a guest process from, by name; see lock_down.h.
struct ReadyFrame {
  std::vector<std::string> locks;
};
struct LogFrame {
  RunId run = 0;
  LogEntry entry;
};
struct OutcomeFrame {
  RunId run = 0;
  RunOutcome outcome;
};
struct WarmFrame {
  uint64_t request = 0;
};
// What goes on in the process: of PoolStats only what the host cannot count by itself.
struct NumbersFrame {
  uint64_t threads = 0;
  uint64_t running = 0;
  uint64_t parked = 0;
  uint64_t queued = 0;
  uint64_t warm = 0;
  uint64_t stuck = 0;
};

using ToHost = std::variant<ReadyFrame, CallEvent, InvokedEvent, LogFrame, OutcomeFrame, WarmFrame,
                            NumbersFrame>;

// With its length in front, as it is sent. Empty when it is too long for that.
std::string WriteFrame(ToGuests frame);
std::string WriteFrame(ToHost frame);

// The bytes behind the length. Empty when they are no such frame.
std::optional<ToGuests> ReadToGuests(std::string_view bytes);
std::optional<ToHost> ReadToHost(std::string_view bytes);

}  // namespace isobox
