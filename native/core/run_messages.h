#pragma once
// What passes between a guest and its host while a run is under way: plain data.

#include <variant>

#include "native/core/run_types.h"

namespace isobox {

// A guest called a host function.
struct CallEvent {
  RunId run = 0;
  CallId call = 0;
  FunctionSlot slot = 0;
  Payload arguments;
};

// A guest function that the host called has settled.
struct InvokedEvent {
  RunId run = 0;
  CallId invocation = 0;
  bool ok = false;
  Payload value;
  ErrorReport error;
};

// The host's answer to a call.
struct ReplyMessage {
  CallId call = 0;
  bool ok = false;
  Payload value;
  HostError error;
};

// The host calls a function that the guest handed out.
struct InvokeMessage {
  CallId invocation = 0;
  FunctionSlot slot = 0;
  Payload arguments;
};

using GuestMessage = std::variant<ReplyMessage, InvokeMessage>;

}  // namespace isobox
