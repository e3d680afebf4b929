#pragma once
// What guest processes say, held against the host's own account of their runs. Whatever a process
// says, the budgets, the facts and the one outcome are this side's. Loop thread only.

#include <cstdint>
#include <string>
#include <vector>

#include "native/core/guest.h"
#include "native/process/frames.h"
#include "native/process/guest_process.h"

namespace isobox {

// What becomes of processes and their runs. A process is as it should be while it is told of.
class GuestProcessOwner {
 public:
  GuestProcessOwner() = default;
  GuestProcessOwner(const GuestProcessOwner&) = delete;
  GuestProcessOwner& operator=(const GuestProcessOwner&) = delete;
  virtual ~GuestProcessOwner() = default;

  virtual void OnReady(GuestProcess& process, std::vector<std::string> locks) = 0;
  // The run is over.
  virtual void OnResult(HostedRun& run, GuestResult result) = 0;
  // One process has made the guests that it was asked for.
  virtual void OnWarm(uint64_t request) = 0;
  virtual void OnNumbers(GuestProcess& process) = 0;
};

class FrameDesk {
 public:
  // The owner outlives it.
  explicit FrameDesk(GuestProcessOwner& owner) : owner_(owner) {}

  // Handles what the process has said, though never for long. False when it could not have said it.
  [[nodiscard]] bool Serve(GuestProcess& process);

 private:
  [[nodiscard]] bool Handle(GuestProcess& process, ToHost frame);
  [[nodiscard]] bool Handle(GuestProcess& process, ReadyFrame& frame);
  [[nodiscard]] bool Handle(GuestProcess& process, CallEvent& event);
  [[nodiscard]] bool Handle(GuestProcess& process, InvokedEvent& event);
  [[nodiscard]] bool Handle(GuestProcess& process, LogFrame& frame);
  [[nodiscard]] bool Handle(GuestProcess& process, OutcomeFrame& frame);
  [[nodiscard]] bool Handle(GuestProcess& process, WarmFrame& frame);
  [[nodiscard]] bool Handle(GuestProcess& process, NumbersFrame& frame);

  GuestProcessOwner& owner_;
};

}  // namespace isobox
