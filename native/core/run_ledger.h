#pragma once
// What a run has done so far, and its only way to the host: keeps the budgets, and sees to it that
// nothing of a run reaches the host after its one outcome. Any thread.

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "native/core/guarded.h"
#include "native/core/host_channel.h"
#include "native/core/log_buffer.h"
#include "native/core/run_messages.h"
#include "native/core/run_types.h"

namespace isobox {

// Whether a call or its reply may pass.
enum class CallAdmission : uint8_t { kPassed, kOverBudget, kEnded };

// What the pool's statistics take from a settled run.
struct SettledFacts {
  StopCause cause = StopCause::kNone;
  uint64_t wall_us = 0;
  uint64_t calls = 0;
  uint64_t call_bytes = 0;
};

class RunLedger {
 public:
  // The channel outlives the ledger.
  RunLedger(const RunRequest& request, HostChannel& channel);

  StopLatch& latch() { return latch_; }

  // Posts the call, unless it would break a budget or the run has ended. `call` receives its id.
  CallAdmission StartCall(FunctionSlot slot, Payload arguments, CallId& call);
  // Called when the reply has reached the guest's thread. kEnded for unknown or late replies.
  CallAdmission EndCall(CallId call, bool ok, uint64_t bytes);

  // False once further lines would not be kept.
  bool WantsLogs();
  uint64_t LogCharsLeft() { return state_.Lock()->logs.chars_left(); }
  void LogLine(LogLevel level, std::string_view text);
  void LogArguments(LogLevel level, std::vector<Payload> arguments);
  // An entry that another ledger of this run has let pass, with its time.
  void LogAgain(ConsoleMode mode, LogEntry entry);

  // Something was logged that could not be kept.
  void MarkLogsTruncated() { state_.Lock()->logs.MarkTruncated(); }

  void PostInvoked(InvokedEvent event);

  void NoteStarted();
  void NoteQueued(uint64_t us) { state_.Lock()->facts.queued_us = us; }
  void AddCpu(uint64_t us) { cpu_us_ += us; }
  uint64_t cpu_us() const { return cpu_us_; }
  void NotePeakMemory(uint64_t bytes) { peak_bytes_ = bytes; }
  void SetReason(std::string reason);

  // Posts the outcome for the latched cause, once; later calls do nothing. `before` runs just
  // before the outcome is posted, so that what it counts is there when the caller looks.
  void Settle(GuestResult result, const std::function<void(const SettledFacts&)>& before);

 private:
  using Clock = std::chrono::steady_clock;
  struct OpenCall {
    Clock::time_point started;
    uint64_t bytes = 0;
    uint64_t cost = 0;
    size_t fact = 0;  // index into call_facts, or kMaxCallFacts when not kept
  };
  struct State {
    explicit State(const RunLimits& limits) : logs(limits.log_lines, limits.log_chars) {}
    LogBuffer logs;
    RunFacts facts;
    std::string reason;
    std::unordered_map<CallId, OpenCall> open_calls;
    uint64_t bytes_in_flight = 0;
    uint64_t cost_in_flight = 0;  // of the host's memory
    CallId next_call = 1;
    bool is_settled = false;
  };

  void PostLive(State& state);

  const RunId id_;
  const RunLimits limits_;
  const bool wants_live_logs_;
  HostChannel& channel_;
  const Clock::time_point submitted_ = Clock::now();
  StopLatch latch_;
  std::atomic<uint64_t> cpu_us_{0};
  std::atomic<uint64_t> peak_bytes_{0};
  // Lock order: this, then the channel's own.
  Guarded<State> state_;
};

}  // namespace isobox
