#pragma once
// One guest process as the host sees it: what it is sent, what it says, and whether it can still be
// believed. Loop thread only.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "native/core/run_ledger.h"
#include "native/process/frame_stream.h"
#include "native/process/frames.h"
#include "native/process/shared_segment.h"
#include "native/process/timers.h"

namespace isobox {

// A process of the system's. Killed and reaped at the latest when this ends.
class ProcessHandle {
 public:
  ProcessHandle() = default;
  ProcessHandle(const ProcessHandle&) = delete;
  ProcessHandle& operator=(const ProcessHandle&) = delete;
  virtual ~ProcessHandle() = default;

  // Readable once it has ended; may be before, until HasEnded was asked.
  virtual int descriptor() const = 0;
  virtual bool HasEnded() = 0;
  virtual void Kill() = 0;
  // What it holds of the machine's memory, in bytes; 0 when the system does not tell.
  virtual uint64_t MemoryInUse() = 0;
  // Whether it was forked with guests that are ready; see zygote.h.
  virtual bool Inherits() const { return false; }
};

// Starts a process that serves the segment with a FrameServer. Null when the system refuses.
using Launcher =
    std::function<std::unique_ptr<ProcessHandle>(const SharedSegment& segment, int wake)>;

class GuestProcess;

// The host's own account of a run.
struct HostedRun {
  HostedRun(const RunRequest& request, HostChannel& channel)
      : id(request.id),
        limits(request.limits),
        console(request.realm.console),
        ledger(request, channel) {}

  const RunId id;
  const RunLimits limits;
  const ConsoleMode console;
  RunLedger ledger;
  std::unordered_set<CallId> invocations;  // that the guest has not answered
  std::optional<StopCause> stop;           // what its process was asked to stop it for
  Timers::Key deadline;                    // when the caller is answered without the process
  Timers::Clock::time_point submitted = Timers::Clock::now();
  uint64_t queued_us = 0;             // until a process was ready for it
  std::optional<RunRequest> request;  // until a process that is ready gets it
  GuestProcess* process = nullptr;    // which outlives its stay there
  bool has_moved = false;             // from a process that ended before it was ready
};

class GuestProcess {
 public:
  enum class State : uint8_t {
    kStarting,
    kReady,
    kEnded,  // killed, or gone by itself; only its end is waited for
  };

  // Null when the system refuses.
  static std::unique_ptr<GuestProcess> Launch(const Launcher& launcher, PoolOptions options);

  void Send(ToGuests frame);
  // The next thing it says; empty when there is nothing more now. False when it cannot be believed.
  [[nodiscard]] bool Next(std::optional<ToHost>& frame);
  bool HasNews() { return receiver_.ring().Available() > 0 || receiver_.IsBroken(); }
  // From here on it wakes the host. True when something has come meanwhile.
  bool Rest();
  // Sends what had no room before.
  void Flush();
  void Kill();
  // Adds what goes on in it, as of its last answer, and asks it anew.
  void AddTo(PoolStats& stats);
  // For the runs that it has; never lowered, since memory is not given back at once.
  void RaiseMemoryLimit();
  bool IsOverMemoryLimit() { return handle_->MemoryInUse() > memory_limit_; }
  uint64_t memory_limit() const { return memory_limit_; }

  int wake() const { return wake_.number(); }
  int exit() const { return handle_->descriptor(); }
  bool HasEnded() { return handle_->HasEnded(); }
  bool Inherits() const { return handle_->Inherits(); }

  bool TakesRuns() const { return state != State::kEnded && runs_left > 0; }

  State state = State::kStarting;
  // How many more it takes. Without any left it ends with its last one.
  uint64_t runs_left = 0;
  std::unordered_map<RunId, HostedRun*> runs;
  // Runs that were answered without it, and whose outcomes are still to come.
  std::unordered_set<RunId> overdue;
  bool has_answered = false;                      // a run, ever
  std::unordered_map<uint64_t, size_t> prewarms;  // by request, how many guests it is to make
  NumbersFrame numbers;
  bool is_asked = false;  // for new ones
  Timers::Key patience;   // until it is ready
  Timers::Key next_look;  // at its memory, and whether it has said something
  bool is_looked_at = false;
  bool has_spoken = false;  // since the last look
  size_t silent_looks = 0;

 private:
  GuestProcess(PoolOptions options, SharedSegment segment, Descriptor wake);
  // How long a frame may be, with the runs that are under way.
  size_t LongestFrame() const;

  const PoolOptions options_;
  SharedSegment segment_;
  Descriptor wake_;
  FrameSender sender_;
  FrameReceiver receiver_;
  uint64_t memory_limit_ = 0;
  std::unique_ptr<ProcessHandle> handle_;
};

}  // namespace isobox
