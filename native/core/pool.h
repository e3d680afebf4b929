#pragma once
// The threads that run sessions. Replaces threads that do not come back, keeps prepared guests on
// the shelf, and knows when everything has ended. Any thread, except where noted.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "native/core/guarded.h"
#include "native/core/guest.h"
#include "native/core/host_channel.h"
#include "native/core/pool_stats.h"
#include "native/core/run_queue.h"
#include "native/core/session.h"
#include "native/core/warm_shelf.h"
#include "native/core/watchdog.h"

namespace isobox {

struct PoolOptions {
  size_t threads = 2;
  size_t max_running = 1024;
  size_t max_queued = 10000;
  size_t warm_target = 2;
  std::chrono::milliseconds warm_idle{30000};
  size_t max_stuck = 8;
  // How often running guests are made to look at their memory.
  std::chrono::milliseconds sample_interval{10};
  // A thread that was written off comes back late, as after a long garbage collection, or never:
  // after this it counts as stuck.
  std::chrono::milliseconds stuck_after{500};
};

class Pool final : public std::enable_shared_from_this<Pool>, public SessionHost {
 public:
  // V8 counts 1 MiB of stack for the guest; the rest is for native frames it does not count.
  static constexpr size_t kWorkerStackBytes = 8U << 20U;

  // The threads keep the pool alive until they leave; Close makes them leave.
  static std::shared_ptr<Pool> Create(PoolOptions options, GuestFactory factory,
                                      std::shared_ptr<HostChannel> channel);

  Pool(PoolOptions options, GuestFactory factory, std::shared_ptr<HostChannel> channel);
  ~Pool() override;

  // Always leads to exactly one outcome on the channel.
  void Start(RunRequest request);
  // Both are ignored for runs that have ended.
  void Post(RunId run, GuestMessage message);
  void Stop(RunId run, StopCause cause, std::string reason);

  // Posts PostWarm(request) once `count` guests are ready, or when nobody is left to make them.
  void Prewarm(uint64_t request, size_t count);

  PoolStats Stats();

  // Ends every run and sends the threads home; PostClosed follows. Idempotent.
  void Close();
  // True when PostClosed has been posted by then: after it the pool posts nothing more.
  bool WaitUntilClosed(std::chrono::milliseconds patience);
  // Threads of any pool that were written off and have not come back.
  static size_t AwayInProcess();

  void MakeRunnable(std::shared_ptr<Session> session) override;
  void Withdraw(const std::shared_ptr<Session>& session) override;
  std::unique_ptr<Guest> TakeGuest() override;
  void NoteSettled(const SettledFacts& facts) override;
  bool WriteOff(const std::shared_ptr<Worker>& worker, const Session& session) override;
  bool Linger(const std::atomic<bool>& is_parked) override;
  void NoteAnswered() override;

 private:
  using Clock = std::chrono::steady_clock;
  // As good as for ever; the clocks could not count much more.
  static constexpr std::chrono::milliseconds kLongestIdle = std::chrono::hours(24 * 365 * 100);
  // Ticks go on for so many without a guest to look at: starting them anew wakes a thread.
  static constexpr size_t kIdleTicks = 20;
  enum class Duty : uint8_t { kTurn, kPrepare, kDispose, kLeave };
  struct Job {
    Duty duty = Duty::kLeave;
    std::shared_ptr<Session> session;
    std::vector<std::unique_ptr<Guest>> expired;
  };
  struct State {
    explicit State(const PoolOptions& options)
        : queue(options.max_running, options.max_queued),
          shelf(options.warm_target, std::min(options.warm_idle, kLongestIdle)) {}
    RunQueue<Session> queue;
    WarmShelf shelf;
    std::unordered_map<RunId, std::shared_ptr<Session>> sessions;
    size_t live = 0;                                // threads that serve the queue
    size_t away = 0;                                // threads written off and not back
    size_t stuck = 0;                               // of those, the ones that are not expected back
    std::vector<std::shared_ptr<Session>> in_turn;  // those that a live thread serves
    Watchdog::Alarm tick;
    bool is_ticking = false;
    size_t idle_ticks = 0;
    size_t answering = 0;  // write-offs whose runs have no outcome yet
    bool is_closing = false;
    bool is_drained = false;  // closing, and every session has been told
    bool is_announced = false;
    bool is_closed = false;  // announced, and the channel has heard it
  };
  [[nodiscard]] bool StartWorker();
  void Work(const std::shared_ptr<Worker>& worker);
  Job NextJob(Worker& worker);
  void RunTurn(const std::shared_ptr<Worker>& worker, const std::shared_ptr<Session>& session);
  void PrepareOne();
  // Follows every addition to what is runnable; true when a sleeping thread must be woken for it.
  bool NoteRunnable(const State& state);
  // Null for runs that have ended.
  std::shared_ptr<Session> Find(RunId run);
  void Leave(Worker& worker);
  // With no thread left, every open run is answered rather than left waiting.
  void FailWhatNobodyWillRun();
  // Posts PostClosed once, when nothing is left that could come back.
  void AnnounceIfClosed();
  // Has running guests look at their memory, again and again while there are any.
  void Tick();
  void ArmTick(State& state);
  void MarkStuck(Worker& worker);
  // When all is closed, the watchdog stays only until it is known which threads are stuck.
  void RetireWatchdogIfDone(const State& state);
  // Brings the number of threads back to what was asked for, as far as the system allows.
  void Replenish(State& state);
  // An admitted run has ended; its place goes to the next.
  static void Forget(State& state, RunId run);

  const PoolOptions options_;
  const GuestFactory factory_;
  const std::shared_ptr<HostChannel> channel_;  // shared with the host's side of it
  Watchdog watchdog_;  // before the sessions: their alarms end before it does
  // No other lock of ours but the watchdog's is taken while one of these is held.
  Guarded<State> state_;
  Guarded<RunTotals> totals_;
  std::atomic<size_t> lingering_{0};
  std::atomic<size_t> runnable_{0};  // what the queue holds, as far as can be told without its lock
  std::condition_variable work_;
  std::condition_variable closed_;
};

}  // namespace isobox
