#include "native/core/stop_cause.h"

namespace isobox {

std::string_view StopCauseName(StopCause cause) {
  switch (cause) {
    case StopCause::kNone:
      return "none";
    case StopCause::kFinished:
      return "finished";
    case StopCause::kGuestError:
      return "guest_error";
    case StopCause::kLinkError:
      return "link_error";
    case StopCause::kSerialization:
      return "serialization";
    case StopCause::kDeadline:
      return "deadline";
    case StopCause::kCpu:
      return "cpu";
    case StopCause::kMemory:
      return "memory";
    case StopCause::kCalls:
      return "calls";
    case StopCause::kOutput:
      return "output";
    case StopCause::kTerminated:
      return "terminated";
    case StopCause::kQueueFull:
      return "queue_full";
    case StopCause::kExhausted:
      return "exhausted";
    case StopCause::kDisposed:
      return "disposed";
    case StopCause::kCrashed:
      return "crashed";
  }
  return "none";
}

}  // namespace isobox
