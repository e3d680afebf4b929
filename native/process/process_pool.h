#pragma once
// A pool whose guests run in processes of their own: each has an ordinary pool, and this side keeps
// an account of every run, so that a process that crashes, hangs or lies costs its own runs alone.
// It has no thread and no lock: everything happens on the thread that attends to its descriptor.
// Loop thread only.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "native/core/any_pool.h"
#include "native/core/host_channel.h"
#include "native/core/pool.h"
#include "native/process/event_source.h"
#include "native/process/frame_desk.h"
#include "native/process/guest_process.h"
#include "native/process/timers.h"

namespace isobox {

struct ProcessPoolOptions {
  PoolOptions pool;      // of all processes together
  size_t processes = 1;  // that take runs; as many again may be busy with the last of theirs
  // How many each serves before another takes its place.
  uint64_t runs_per_process = kUnlimited;
  // A process that is not ready by then is given up; a run with a deadline waits no longer than the
  // second for one that is still starting.
  std::chrono::milliseconds ready_patience{10000};
  std::chrono::milliseconds start_patience{2000};
  // What a run's caller waits beyond its limit, and a process then has to say something of it.
  std::chrono::milliseconds grace{100};
  std::chrono::milliseconds silence{1000};
  // How often processes with runs are looked at: what memory they hold, and whether they have said
  // something. One that has not for `silence` is asked to, and given up when it does not answer.
  std::chrono::milliseconds look{100};
};

class ProcessPool final : public AnyPool, public EventSource, private GuestProcessOwner {
 public:
  ProcessPool(ProcessPoolOptions options, Launcher launcher, std::shared_ptr<HostChannel> channel);
  ~ProcessPool() override;

  void Start(RunRequest request) override;
  void Post(RunId id, GuestMessage message) override;
  void Stop(RunId id, StopCause cause, std::string reason) override;
  void Prewarm(uint64_t request, size_t count) override;
  // Running, parked, queued and warm are as of the last answer of each process, which is asked
  // anew.
  PoolStats Stats() override;
  void Close() override;
  bool WaitUntilClosed(std::chrono::milliseconds patience) override;

  int descriptor() const override { return events_.number(); }
  // False when the system had none left: the pool would hear of nothing.
  bool HasDescriptors() const { return events_.number() >= 0 && timers_.descriptor() >= 0; }
  void Attend() override;
  bool HasNews() override;
  bool Rest() override;

  // What keeps its processes from harm, as far as the last one that got ready told.
  const std::vector<std::string>& locks() const { return locks_; }
  size_t processes() const { return processes_.size(); }

 private:
  using State = GuestProcess::State;
  using Clock = Timers::Clock;

  bool Watch(GuestProcess& process);
  size_t Count(const std::function<bool(const GuestProcess&)>& is_one) const;
  // Starts the processes that are missing.
  void Replenish();
  // The one with the fewest runs; null when none takes any.
  GuestProcess* Choose();
  // Null for runs that have ended.
  HostedRun* Find(RunId run);
  // Gives runs that wait to processes that take them, and answers them where there are none.
  void GiveOut();
  void Give(HostedRun& run, GuestProcess& process);
  // To a process that is ready.
  void Send(HostedRun& run);
  // Its runs have not begun: they wait for another process, though only once.
  void TakeBack(GuestProcess& process);
  static void NoteReady(HostedRun& run);
  void Settle(HostedRun& run, GuestResult result);
  // The run is over on this side, whatever its process does.
  void Answer(HostedRun& run, GuestResult result);
  // The caller is answered by then without the process.
  void SetDeadline(HostedRun& run, Clock::duration delay, StopCause cause);
  void AnswerWithout(HostedRun& run, StopCause cause);
  Clock::duration WallOf(const HostedRun& run) const;

  void OnReady(GuestProcess& process, std::vector<std::string> locks) override;
  void OnResult(HostedRun& run, GuestResult result) override { Answer(run, std::move(result)); }
  void OnWarm(uint64_t request) override;
  void OnNumbers(GuestProcess& process) override;

  void KeepLooking(GuestProcess& process);
  void LookAt(GuestProcess& process);
  // Answers its runs, and kills it unless it has ended by itself.
  void End(GuestProcess& process, StopCause cause);
  void EndIfUsedUp(GuestProcess& process);
  // Forgets it when nothing is left of it; it may be forgotten already.
  void RemoveIfEnded(GuestProcess& process);
  void TouchIdleTimer();
  void AnnounceIfClosed();

  const ProcessPoolOptions options_;
  const Launcher launcher_;
  const std::shared_ptr<HostChannel> channel_;  // shared with the host's side of it
  const Descriptor events_;                     // an epoll of everything below
  Timers timers_;
  FrameDesk desk_{*this};
  std::vector<std::unique_ptr<GuestProcess>> processes_;
  std::unordered_map<RunId, std::unique_ptr<HostedRun>> runs_;
  std::deque<RunId> waiting_;  // for a process
  std::unordered_map<uint64_t, size_t>
      prewarms_;  // by request, how many processes still work on it
  std::vector<std::string> locks_;
  uint64_t started_ = 0;  // processes
  RunTotals totals_;
  Timers::Key idle_;
  bool is_closing_ = false;
  bool is_closed_ = false;
};

}  // namespace isobox
