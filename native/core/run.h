#pragma once
// One run as a state machine: queued, running, parked, ended. It moves between threads; it ends for
// one cause, and its caller is answered even when its thread never comes back.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "native/core/guarded.h"
#include "native/core/guest.h"
#include "native/core/run_ledger.h"
#include "native/core/thread.h"
#include "native/core/watchdog.h"

namespace isobox {

class Run;

// What a run needs from its pool. Any thread; called without the run's lock, and, except
// NoteSettled, without the ledger's.
class RunScheduler {
 public:
  RunScheduler() = default;
  RunScheduler(const RunScheduler&) = delete;
  RunScheduler& operator=(const RunScheduler&) = delete;
  virtual ~RunScheduler() = default;

  virtual void MakeRunnable(std::shared_ptr<Run> run) = 0;
  // The run was stopped before it got its first turn.
  virtual void Withdraw(const std::shared_ptr<Run>& run) = 0;
  virtual std::unique_ptr<Guest> TakeGuest() = 0;
  virtual void NoteSettled(const SettledFacts& facts) = 0;
  // The worker did not come back from the run in time: it is lost, and leaves when it does come
  // back. False when it has come back by now; else NoteAnswered follows.
  [[nodiscard]] virtual bool LoseWorker(const std::shared_ptr<Thread>& worker, const Run& run) = 0;
  // A guest that has just called its host often hears back at once: waits a moment for
  // `is_parked` to end without giving up the thread, since waking one takes longer than most host
  // functions. True when it has ended and nobody else wants the thread. Worker thread.
  [[nodiscard]] virtual bool Linger(const std::atomic<bool>& is_parked) = 0;
  // A run whose worker is lost has its outcome.
  virtual void NoteAnswered() = 0;
};

class Run final : public std::enable_shared_from_this<Run>, public GuestOwner {
 public:
  // How long a stopped guest may take to come back before its thread is lost and its caller
  // answered without it.
  static constexpr std::chrono::milliseconds kStopGrace{20};
  // A guest may use up an interrupt and go on, so it is interrupted until it is back: often at
  // first, now and then once its thread is lost.
  static constexpr std::chrono::milliseconds kInterruptPause{4};
  static constexpr std::chrono::milliseconds kLostInterruptPause{100};

  enum class TurnResult : uint8_t { kParked, kAgain, kEnded };

  // Everything referred to outlives the run.
  Run(RunRequest request, HostChannel& channel, Watchdog& watchdog, RunScheduler& scheduler);

  RunId id() const { return request_.id; }
  uint64_t memory_limit() const { return request_.limits.memory_bytes; }

  // Starts the wall clock. Once, right after construction.
  void Arm();
  // Delivers to the guest and wakes it; dropped when the run has ended.
  void Post(GuestMessage message);
  // Ends the run unless it has ended. `reason` is the caller's, for the outcome.
  void Stop(StopCause cause, std::string reason);

  // Has a running guest look at its memory.
  void Sample();

  // Worker thread only.
  TurnResult Turn(const std::shared_ptr<Thread>& worker);

  void StopGuest(StopCause cause) override { Stop(cause, {}); }
  [[noreturn]] void LoseThread(StopCause cause) override;

  // Waiting for the host, as far as can be told without its lock.
  bool IsParked() const { return is_parked_.load(std::memory_order_relaxed); }

 private:
  enum class Phase : uint8_t { kQueued, kRunning, kParked, kEnded };
  static constexpr uint64_t kCpuSlackUs = 500;
  struct State {
    Phase phase = Phase::kQueued;
    bool is_attended = false;  // parked, but a worker lingers and sees to what comes
    bool has_begun = false;
    std::vector<GuestMessage> inbox;
    std::unique_ptr<Guest> guest;
    std::shared_ptr<Thread> worker;  // while running, and while the guest is destroyed
    bool is_worker_lost = false;
    uint64_t turn_cpu_start_us = 0;  // of the worker
    Watchdog::Alarm wall_alarm;
    Watchdog::Alarm cpu_alarm;
    Watchdog::Alarm grace_alarm;
    Watchdog::Alarm interrupt_alarm;
  };

  void SetPhase(State& state, Phase phase);
  TurnResult TurnOnce(const std::shared_ptr<Thread>& worker);
  void Settle(GuestResult result);
  // Disarms what is left and destroys the guest.
  void End();
  // No worker comes back to the run any more.
  void CloseState(State& state);
  // Interrupts the guest of a stopped run, and sees to it that this happens again.
  void Interrupt(State& state);
  void InterruptAgain();
  void LoseWorker();
  void AnswerWithout(const std::shared_ptr<Thread>& worker);
  void CheckCpu();
  // What the turn under way has used so far.
  static uint64_t TurnCpuUs(const State& state);
  void ArmCpu(State& state);
  // The guest to run, taken from the pool on the first turn; null when the run was stopped
  // meanwhile.
  Guest* EnterGuest();

  const RunRequest request_;
  RunLedger ledger_;
  Watchdog& watchdog_;
  RunScheduler& scheduler_;
  // Lock order: this, then the ledger's or the watchdog's. Never while calling the scheduler.
  Guarded<State> state_;
  std::atomic<bool> is_parked_{false};  // written under the lock
};

}  // namespace isobox
