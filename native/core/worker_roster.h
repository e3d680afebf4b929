#pragma once
// The threads of a pool: which of them serve, whom, and which are lost. Not thread-safe: the pool
// guards it.
//
// A thread is lost from the moment at which its run is answered without it until it comes back.
// It is late at first, as in a long garbage collection; one that stays away is stuck. Lost threads
// are replaced, within bounds, and leave when they are back.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "native/core/run.h"
#include "native/core/thread.h"
#include "native/core/watchdog.h"

namespace isobox {

class WorkerRoster {
 public:
  struct Bounds {
    size_t threads = 0;
    // How many lost threads are replaced, and what their guests may hold by their limits.
    size_t max_stuck = 0;
    uint64_t max_stuck_bytes = 0;
  };
  // Starts this thread. False when the system has no room for it.
  using Starter = std::function<bool(const std::shared_ptr<Thread>&)>;

  explicit WorkerRoster(Bounds bounds) : bounds_(bounds) {}

  // Brings the number of threads back to what was asked for, as far as bounds and system allow.
  // When the bounds leave none, one is started that only cleans up.
  void Replenish(const Starter& start);
  // Starts a thread to clean up if there is none.
  void KeepOne(const Starter& start);

  void BeginTurn(const Thread& worker, std::shared_ptr<Run> run);
  // False when the thread was lost meanwhile.
  [[nodiscard]] bool EndTurn(const Thread& worker);
  // What the threads that are not lost serve.
  std::vector<std::shared_ptr<Run>> InTurn() const;

  // The thread is lost, unless it has come back from the run by now. `patience` ends with
  // MarkStuck.
  [[nodiscard]] bool Lose(const Thread& worker, const Run& run, Watchdog::Alarm patience);
  // False when the thread has come back.
  [[nodiscard]] bool MarkStuck(const Thread& worker);
  bool IsLost(const Thread& worker) const { return workers_.at(&worker).state != State::kLive; }
  // The thread ends.
  void Remove(const Thread& worker);

  size_t live() const { return live_; }
  size_t stuck() const { return stuck_; }
  bool HasLate() const { return lost_ > stuck_; }

  // No thread serves runs, and none is expected back soon.
  bool IsExhausted() const { return is_exhausted_ || (live_ == 0 && !HasLate()); }
  // How many lost threads are in the way of another; 0 when it is the system that has no room.
  size_t InTheWay() const { return HasRoom() ? 0 : lost_; }

  // Lost threads of all pools.
  static size_t LostInProcess();

 private:
  enum class State : uint8_t { kLive, kLate, kStuck };
  struct Worker {
    std::shared_ptr<Thread> thread;  // shared with the thread itself and with its run
    std::shared_ptr<Run> serving;    // whose turn it is, unless the thread is lost
    State state = State::kLive;
    uint64_t lost_bytes = 0;
    Watchdog::Alarm patience;
  };

  bool HasRoom() const {
    return lost_ <= bounds_.max_stuck && lost_bytes_ <= bounds_.max_stuck_bytes;
  }
  bool StartOne(const Starter& start);

  const Bounds bounds_;
  std::unordered_map<const Thread*, Worker> workers_;
  size_t live_ = 0;
  size_t lost_ = 0;
  size_t stuck_ = 0;         // of those that are lost
  uint64_t lost_bytes_ = 0;  // limits of the guests that lost threads are in
  bool is_exhausted_ = false;
};

}  // namespace isobox
