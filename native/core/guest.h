#pragma once
// The engine's half of a run, seen from the scheduler: one fresh isolate, used for one run.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "native/core/run_ledger.h"
#include "native/core/run_messages.h"
#include "native/core/run_types.h"

namespace isobox {

// What a guest may ask of the run that owns it. On the guest's thread, while it runs.
class GuestOwner {
 public:
  GuestOwner() = default;
  GuestOwner(const GuestOwner&) = delete;
  GuestOwner& operator=(const GuestOwner&) = delete;
  virtual ~GuestOwner() = default;

  // Ends the run for this cause; the guest is interrupted.
  virtual void StopGuest(StopCause cause) = 0;
  // The engine cannot go on in this isolate: answers the caller and never
  // returns; the thread is lost.
  [[noreturn]] virtual void LoseThread(StopCause cause) = 0;
};

// Begin and Turn run on whichever worker holds the run; never two at once. Destroyed on a
// worker that is not inside it.
class Guest {
 public:
  Guest() = default;
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  virtual ~Guest() = default;

  // Takes on a run: sets limits, but runs nothing yet. The arguments outlive the guest.
  virtual void Begin(const RunRequest& request, RunLedger& ledger, GuestOwner& owner) = 0;

  // Starts the run on the first turn, delivers the messages, and runs until the guest waits or
  // ends. Empty while it waits, and when the run was stopped.
  virtual std::optional<GuestResult> Turn(std::vector<GuestMessage> messages) = 0;

  // Makes a turn that is under way return soon, if the engine can. Any thread.
  virtual void Interrupt() = 0;
  // Makes a turn that is under way look at its memory soon. Any thread.
  virtual void Sample() = 0;
};

// Whether the guest is made ahead of its run, when there is time to make its first steps quick.
enum class Readiness : uint8_t { kAtOnce, kAhead };

using GuestFactory = std::function<std::unique_ptr<Guest>(Readiness)>;

}  // namespace isobox
