#include "native/process/frame_desk.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace isobox {
namespace {

using State = GuestProcess::State;

// What one process may say before it is another's turn.
constexpr size_t kFramesPerTurn = 256;

// Names of locks are for people: a process that sends more than that makes them up.
constexpr size_t kMostLocks = 16;
constexpr size_t kLongestLock = 64;

// Whether a value is one that an encoder may have written under this limit; marks of long texts do
// not count there.
bool IsWithin(const Payload& value, uint64_t most_bytes) {
  constexpr uint64_t kMarks = 64;
  return value.size() <= kMarks || value.size() - kMarks <= most_bytes;
}

}  // namespace

bool FrameDesk::Serve(GuestProcess& process) {
  std::optional<ToHost> frame;
  for (size_t i = 0; i < kFramesPerTurn; ++i) {
    if (!process.Next(frame)) return false;
    if (!frame) return true;
    process.has_spoken = true;
    if (!Handle(process, *std::move(frame))) return false;
    if (process.state == State::kEnded) return true;
  }
  return true;
}

bool FrameDesk::Handle(GuestProcess& process, ToHost frame) {
  if (auto* const ready = std::get_if<ReadyFrame>(&frame)) return Handle(process, *ready);
  // Everything else comes after that.
  if (process.state == State::kStarting) return false;
  return std::visit([&](auto& one) { return Handle(process, one); }, frame);
}

bool FrameDesk::Handle(GuestProcess& process, ReadyFrame& frame) {
  const auto is_long = [](const std::string& lock) { return lock.size() > kLongestLock; };
  if (process.state != State::kStarting || frame.locks.size() > kMostLocks ||
      std::any_of(frame.locks.begin(), frame.locks.end(), is_long)) {
    return false;
  }
  process.state = State::kReady;
  owner_.OnReady(process, std::move(frame.locks));
  return true;
}

bool FrameDesk::Handle(GuestProcess& process, CallEvent& event) {
  const auto place = process.runs.find(event.run);
  if (place == process.runs.end()) return process.overdue.contains(event.run);
  // Both ledgers count calls in the same order, so they give them the same numbers.
  CallId call = 0;
  return place->second->ledger.StartCall(event.slot, std::move(event.arguments), call) ==
             CallAdmission::kPassed &&
         call == event.call;
}

bool FrameDesk::Handle(GuestProcess& process, InvokedEvent& event) {
  const auto place = process.runs.find(event.run);
  if (place == process.runs.end()) return process.overdue.contains(event.run);
  if (place->second->invocations.erase(event.invocation) == 0) return false;
  place->second->ledger.PostInvoked(std::move(event));
  return true;
}

bool FrameDesk::Handle(GuestProcess& process, LogFrame& frame) {
  const auto place = process.runs.find(frame.run);
  if (place == process.runs.end()) return process.overdue.contains(frame.run);
  place->second->ledger.LogAgain(place->second->console, std::move(frame.entry));
  return true;
}

bool FrameDesk::Handle(GuestProcess& process, OutcomeFrame& frame) {
  if (process.overdue.erase(frame.run) > 0) return true;
  const auto place = process.runs.find(frame.run);
  RunOutcome& outcome = frame.outcome;
  if (place == process.runs.end() || outcome.cause == StopCause::kNone) return false;
  HostedRun& run = *place->second;
  if (!IsWithin(outcome.value, run.limits.result_bytes)) return false;
  for (LogEntry& entry : outcome.logs)
    run.ledger.LogAgain(run.console, std::move(entry));
  if (outcome.logs_truncated) run.ledger.MarkLogsTruncated();
  run.ledger.AddCpu(outcome.facts.cpu_us);
  run.ledger.NotePeakMemory(outcome.facts.peak_heap_bytes);
  run.ledger.NoteQueued(run.queued_us + outcome.facts.queued_us);
  run.ledger.SetReason(std::move(outcome.reason));
  process.has_answered = true;
  owner_.OnResult(run, {outcome.cause, std::move(outcome.value), std::move(outcome.error)});
  return true;
}

bool FrameDesk::Handle(GuestProcess& process, WarmFrame& frame) {
  const auto place = process.prewarms.find(frame.request);
  if (place == process.prewarms.end()) return false;
  process.numbers.warm = std::max<uint64_t>(process.numbers.warm, place->second);
  process.prewarms.erase(place);
  owner_.OnWarm(frame.request);
  return true;
}

bool FrameDesk::Handle(GuestProcess& process, NumbersFrame& frame) {
  process.numbers = frame;
  process.is_asked = false;
  owner_.OnNumbers(process);
  return true;
}

}  // namespace isobox
