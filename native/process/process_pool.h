#pragma once
// A pool whose guests run in processes of their own: each has an ordinary pool, and this side keeps
// an account of every run, so that a process that crashes, hangs or lies costs its own runs alone.
// It has no thread and no lock: everything happens on the thread that attends to its descriptor.
// Loop thread only.

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "native/core/any_pool.h"
#include "native/core/host_channel.h"
#include "native/core/pool.h"
#include "native/process/event_source.h"
#include "native/process/guest_process.h"
#include "native/process/timers.h"

namespace isobox {

struct ProcessPoolOptions {
  PoolOptions pool;      // of all processes together
  size_t processes = 1;  // how many there are at once
  // A process that is not ready by then is given up; a run with a deadline waits no longer than the
  // second for one that is still starting.
  std::chrono::milliseconds ready_patience{10000};
  std::chrono::milliseconds start_patience{2000};
  // What a run's caller waits beyond its limit, and a process then has to say something of it.
  std::chrono::milliseconds grace{100};
  std::chrono::milliseconds silence{1000};
};

class ProcessPool final : public AnyPool, public EventSource {
 public:
  ProcessPool(ProcessPoolOptions options, Launcher launcher, std::shared_ptr<HostChannel> channel);
  ~ProcessPool() override;

  void Start(RunRequest request) override;
  void Post(RunId run, GuestMessage message) override;
  void Stop(RunId run, StopCause cause, std::string reason) override;
  void Prewarm(uint64_t request, size_t count) override;
  // Running, parked, queued and warm are as of the last answer of each process, which is asked
  // anew.
  PoolStats Stats() override;
  void Close() override;
  bool WaitUntilClosed(std::chrono::milliseconds patience) override;

  int descriptor() const override { return events_.number(); }
  void Attend() override;
  bool HasNews() override;
  bool Rest() override;

  // What keeps its processes from harm, as far as the last one that got ready told.
  const std::vector<std::string>& locks() const { return locks_; }
  size_t processes() const { return processes_.size(); }

 private:
  using State = GuestProcess::State;
  using Clock = Timers::Clock;
  struct Place {
    GuestProcess* process = nullptr;
    HostedRun* run = nullptr;
  };

  bool Watch(GuestProcess& process);
  // Starts the processes that are missing.
  void Replenish();
  // The one with the fewest runs; null when there is none.
  GuestProcess* Choose();
  Place Find(RunId run);
  void Settle(HostedRun& run, GuestResult result);
  // The run is over on this side, whatever its process does.
  void Answer(const Place& place, RunId id, GuestResult result);
  // The caller is answered by then without the process.
  void SetDeadline(const Place& place, RunId id, Clock::duration delay, StopCause cause);
  void AnswerWithout(RunId id, StopCause cause);
  Clock::duration WallOf(const HostedRun& run) const;

  // False when the process has said something that it could not have.
  [[nodiscard]] bool Serve(GuestProcess& process);
  [[nodiscard]] bool Handle(GuestProcess& process, ToHost frame);
  [[nodiscard]] bool Handle(GuestProcess& process, ReadyFrame& frame);
  [[nodiscard]] bool Handle(GuestProcess& process, CallEvent& event);
  [[nodiscard]] bool Handle(GuestProcess& process, InvokedEvent& event);
  [[nodiscard]] bool Handle(GuestProcess& process, LogFrame& frame);
  [[nodiscard]] bool Handle(GuestProcess& process, OutcomeFrame& frame);
  [[nodiscard]] bool Handle(GuestProcess& process, WarmFrame& frame);
  [[nodiscard]] bool Handle(GuestProcess& process, NumbersFrame& frame);

  // Answers its runs, and kills it unless it has ended by itself.
  void End(GuestProcess& process, StopCause cause);
  void EndIfDrained(GuestProcess& process);
  // Forgets it when nothing is left of it; it may be forgotten already.
  void RemoveIfEnded(GuestProcess& process);
  void NoteWarm(uint64_t request);
  void TouchIdleTimer();
  void AnnounceIfClosed();

  const ProcessPoolOptions options_;
  const Launcher launcher_;
  const std::shared_ptr<HostChannel> channel_;  // shared with the host's side of it
  const Descriptor events_;                     // an epoll of everything below
  Timers timers_;
  std::vector<std::unique_ptr<GuestProcess>> processes_;
  std::unordered_map<RunId, GuestProcess*> places_;
  std::unordered_map<uint64_t, size_t>
      prewarms_;  // by request, how many processes still work on it
  std::vector<std::string> locks_;
  RunTotals totals_;
  Timers::Key idle_;
  bool is_closing_ = false;
  bool is_closed_ = false;
};

}  // namespace isobox
