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

class Session;

// A pool thread. The pool owns it; a session points to it while it runs there.
struct Worker {
  Thread thread;
  // Guarded by the pool's lock.
  const Session* serving = nullptr;
  bool is_written_off = false;
  bool is_stuck = false;
  bool has_left = false;
  Watchdog::Alarm patience;  // from being written off to being stuck
};

// What a session needs from its pool. Any thread; called without the session's lock, and, except
// NoteSettled, without the ledger's.
class SessionHost {
 public:
  SessionHost() = default;
  SessionHost(const SessionHost&) = delete;
  SessionHost& operator=(const SessionHost&) = delete;
  virtual ~SessionHost() = default;

  virtual void MakeRunnable(std::shared_ptr<Session> session) = 0;
  // The session was stopped before it got its first turn.
  virtual void Withdraw(const std::shared_ptr<Session>& session) = 0;
  virtual std::unique_ptr<Guest> TakeGuest() = 0;
  virtual void NoteSettled(const SettledFacts& facts) = 0;
  // The worker did not come back from the session in time; it gets a replacement and leaves when it
  // does come back. False when it has come back by now; else NoteAnswered follows.
  [[nodiscard]] virtual bool WriteOff(const std::shared_ptr<Worker>& worker,
                                      const Session& session) = 0;
  // A guest that has just called its host often hears back at once: waits a moment for
  // `is_parked` to end without giving up the thread, since waking one takes longer than most host
  // functions. True when it has ended and nobody else wants the thread. Worker thread.
  [[nodiscard]] virtual bool Linger(const std::atomic<bool>& is_parked) = 0;
  // A run whose worker was written off has its outcome.
  virtual void NoteAnswered() = 0;
};

class Session final : public std::enable_shared_from_this<Session>, public GuestOwner {
 public:
  // How long a stopped guest may take to come back before its thread is written off and its caller
  // answered without it.
  static constexpr std::chrono::milliseconds kStopGrace{20};

  enum class TurnResult : uint8_t { kParked, kAgain, kEnded };

  // Everything referred to outlives the session.
  Session(RunRequest request, HostChannel& channel, Watchdog& watchdog, SessionHost& host);

  RunId id() const { return request_.id; }

  // Starts the wall clock. Once, right after construction.
  void Arm();
  // Delivers to the guest and wakes it; dropped when the run has ended.
  void Post(GuestMessage message);
  // Ends the run unless it has ended. `reason` is the caller's, for the outcome.
  void Stop(StopCause cause, std::string reason);

  // Has a running guest look at its memory.
  void Sample();

  // Worker thread only.
  TurnResult Turn(const std::shared_ptr<Worker>& worker);

  void StopGuest(StopCause cause) override { Stop(cause, {}); }
  [[noreturn]] void AbandonThread(StopCause cause) override;

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
    std::shared_ptr<Worker> worker;  // while running, and while the guest is destroyed
    uint64_t turn_cpu_start_us = 0;  // of the worker's thread
    Watchdog::Alarm wall_alarm;
    Watchdog::Alarm cpu_alarm;
    Watchdog::Alarm grace_alarm;
  };

  void SetPhase(State& state, Phase phase);
  TurnResult TurnOnce(const std::shared_ptr<Worker>& worker);
  void Settle(GuestResult result);
  // Disarms what is left and destroys the guest.
  void End();
  void WriteOffWorker();
  void AnswerWithout(const std::shared_ptr<Worker>& worker);
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
  SessionHost& host_;
  // Lock order: this, then the ledger's or the watchdog's. Never while calling the host.
  Guarded<State> state_;
  std::atomic<bool> is_parked_{false};  // written under the lock
};

}  // namespace isobox
