#pragma once
// The interface through which runs reach their host. Implementations accept events on any thread.

#include "native/core/run_messages.h"
#include "native/core/run_types.h"

namespace isobox {

class HostChannel {
 public:
  HostChannel() = default;
  HostChannel(const HostChannel&) = delete;
  HostChannel& operator=(const HostChannel&) = delete;
  virtual ~HostChannel() = default;

  virtual void PostCall(CallEvent event) = 0;
  virtual void PostInvoked(InvokedEvent event) = 0;
  virtual void PostLog(RunId run, LogEntry entry) = 0;
  // Exactly one per run, after every other event of that run.
  virtual void PostOutcome(RunId run, RunOutcome outcome) = 0;
  // The shelf reached what a prewarm request asked for, or the pool closed first.
  virtual void PostWarm(uint64_t request) = 0;
  // Every thread that can come back has come back.
  virtual void PostClosed() = 0;
};

}  // namespace isobox
