#pragma once
// Runs guests on threads: gives them work, replaces those that are lost, keeps prepared guests on
// the shelf, and knows when everything has ended. Any thread, except where noted.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "native/core/any_pool.h"
#include "native/core/guarded.h"
#include "native/core/guest.h"
#include "native/core/host_channel.h"
#include "native/core/lookout.h"
#include "native/core/pool_stats.h"
#include "native/core/run.h"
#include "native/core/run_queue.h"
#include "native/core/warm_shelf.h"
#include "native/core/watchdog.h"
#include "native/core/worker_roster.h"

namespace isobox {

struct PoolOptions {
  size_t threads = 2;
  size_t max_running = 1024;
  size_t max_queued = 10000;
  size_t warm_target = 2;
  uint64_t most_runs = kUnlimited;  // in its life: no guest is made ready for one more
  std::chrono::milliseconds warm_idle{30000};
  // How many lost threads are replaced, and the sum of their guests' memory limits up to which.
  size_t max_stuck = 8;
  uint64_t max_stuck_bytes = kUnlimited;
  // How often running guests are made to look at their memory.
  std::chrono::milliseconds sample_interval{10};
  // A lost thread that is not back after this counts as stuck.
  std::chrono::milliseconds stuck_after{500};
};

class Pool final : public std::enable_shared_from_this<Pool>, public AnyPool, public RunScheduler {
 public:
  // V8 counts 1 MiB of stack for the guest; the rest is for native frames it does not count.
  static constexpr size_t kWorkerStackBytes = 8U << 20U;

  // The threads keep the pool alive until they leave; Close makes them leave.
  static std::shared_ptr<Pool> Create(PoolOptions options, GuestFactory factory,
                                      std::shared_ptr<HostChannel> channel);

  Pool(PoolOptions options, GuestFactory factory, std::shared_ptr<HostChannel> channel);
  ~Pool() override;

  void Start(RunRequest request) override;
  void Post(RunId id, GuestMessage message) override;
  void Stop(RunId id, StopCause cause, std::string reason) override;
  void Prewarm(uint64_t request, size_t count) override;
  PoolStats Stats() override;
  void Close() override;
  bool WaitUntilClosed(std::chrono::milliseconds patience) override;

  void MakeRunnable(std::shared_ptr<Run> run) override;
  void Withdraw(const std::shared_ptr<Run>& run) override;
  std::unique_ptr<Guest> TakeGuest() override;
  void NoteSettled(const SettledFacts& facts) override;
  bool LoseWorker(const std::shared_ptr<Thread>& worker, const Run& run) override;
  bool Linger(const std::atomic<bool>& is_parked) override;
  void NoteAnswered() override;

 private:
  using Clock = std::chrono::steady_clock;
  // As good as for ever; the clocks could not count much more.
  static constexpr std::chrono::milliseconds kLongestIdle = std::chrono::hours(24 * 365 * 100);
  // Ticks go on for so many without a guest to look at: starting them anew wakes a thread.
  static constexpr size_t kIdleTicks = 20;
  enum class Duty : uint8_t { kTurn, kRefuse, kPrepare, kDispose, kLeave };
  struct Job {
    Duty duty = Duty::kLeave;
    std::shared_ptr<Run> run;
    std::string reason;  // why the run is refused
    std::vector<std::unique_ptr<Guest>> expired;
  };
  struct State {
    State(const PoolOptions& options, Lookout& lookout)
        : queue(options.max_running, options.max_queued, lookout),
          shelf(options.warm_target, std::min(options.warm_idle, kLongestIdle), options.most_runs),
          workers({options.threads, options.max_stuck, options.max_stuck_bytes}) {}
    RunQueue<Run> queue;
    WarmShelf shelf;
    WorkerRoster workers;
    std::unordered_map<RunId, std::shared_ptr<Run>> runs;
    Watchdog::Alarm tick;
    bool is_ticking = false;
    size_t idle_ticks = 0;
    size_t answering = 0;  // runs whose thread is lost and which have no outcome yet
    bool is_closing = false;
    bool is_drained = false;  // closing, and every run has been told
    bool is_announced = false;
    bool is_closed = false;  // announced, and the channel has heard it
  };
  [[nodiscard]] bool StartWorker(const std::shared_ptr<Thread>& worker);
  // Starts the threads that are missing, as far as may be.
  void Replenish(State& state);
  void Work(const std::shared_ptr<Thread>& worker);
  Job NextJob(const Thread& worker);
  void RunTurn(const std::shared_ptr<Thread>& worker, const std::shared_ptr<Run>& run);
  void PrepareOne();
  // Null for runs that have ended.
  std::shared_ptr<Run> Find(RunId id);
  // The run needs no thread any more. Sends the threads home if they wait for that.
  void Forget(State& state, RunId id);
  void Leave(const Thread& worker);
  void MarkStuck(const Thread& worker);
  // With no thread left, every open run is answered rather than left waiting.
  void FailWhatNobodyWillRun();
  // The reason of a run that is refused for want of a thread.
  static std::string ShortageOf(const State& state);
  // Posts PostClosed once, when nothing is left that could come back.
  void AnnounceIfClosed();
  // When all is closed, the watchdog stays only until it is known which threads are stuck.
  void RetireWatchdogIfDone(const State& state);
  // Has running guests look at their memory, again and again while there are any.
  void Tick();
  void ArmTick(State& state);

  const PoolOptions options_;
  const GuestFactory factory_;
  const std::shared_ptr<HostChannel> channel_;  // shared with the host's side of it
  Watchdog watchdog_;                           // before the runs: their alarms end before it does
  Lookout lookout_;
  // No other lock of ours but the watchdog's is taken while one of these is held.
  Guarded<State> state_;
  Guarded<RunTotals> totals_;
  std::condition_variable closed_;
};

}  // namespace isobox
