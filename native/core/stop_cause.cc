#include "native/core/stop_cause.h"

namespace isobox {

bool WasStopped(StopCause cause) {
  switch (cause) {
    case StopCause::kDeadline:
    case StopCause::kCpu:
    case StopCause::kMemory:
    case StopCause::kCalls:
    case StopCause::kTerminated:
    case StopCause::kQueueFull:
    case StopCause::kExhausted:
    case StopCause::kDisposed:
    case StopCause::kCrashed:
      return true;
    case StopCause::kNone:
    case StopCause::kFinished:
    case StopCause::kGuestError:
    case StopCause::kLinkError:
    case StopCause::kSerialization:
    case StopCause::kOutput:
      return false;
  }
  return false;
}

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
