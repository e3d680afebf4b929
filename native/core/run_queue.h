#pragma once
// Which runs want a thread, first come first served, and how many may be under way. Not
// thread-safe: the pool guards it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "native/core/lookout.h"

namespace isobox {

template <typename Run>
class RunQueue {
 public:
  using RunPtr = std::shared_ptr<Run>;
  enum class Admission : uint8_t { kAdmitted, kWaiting, kRefused };

  // The lookout hears of everything that becomes runnable; it outlives the queue.
  RunQueue(size_t max_admitted, size_t max_waiting, Lookout& lookout)
      : max_admitted_(max_admitted), max_waiting_(max_waiting), lookout_(lookout) {}

  // A new run: gets in, waits for a place, or finds the queue full.
  Admission Submit(RunPtr run) {
    if (admitted_ < max_admitted_) {
      admitted_ += 1;
      Add(std::move(run));
      return Admission::kAdmitted;
    }
    if (waiting_.size() >= max_waiting_) return Admission::kRefused;
    waiting_.push_back(std::move(run));
    return Admission::kWaiting;
  }

  // An admitted run has something to do again; it queues behind the others.
  void MakeRunnable(RunPtr run) { Add(std::move(run)); }

  // Null when nothing is runnable.
  RunPtr Take() {
    if (runnable_.empty()) return nullptr;
    RunPtr run = std::move(runnable_.front());
    runnable_.pop_front();
    lookout_.Taken(runnable_.size());
    return run;
  }

  // An admitted run has ended: its place goes to the one that has waited longest.
  void Release() {
    if (waiting_.empty()) {
      admitted_ -= 1;
      return;
    }
    Add(std::move(waiting_.front()));
    waiting_.pop_front();
  }

  // Takes out a run that was waiting for a place. False when it was not waiting.
  bool Withdraw(const Run* run) {
    for (auto place = waiting_.begin(); place != waiting_.end(); ++place) {
      if (place->get() != run) continue;
      waiting_.erase(place);
      return true;
    }
    return false;
  }

  size_t runnable() const { return runnable_.size(); }
  size_t waiting() const { return waiting_.size(); }
  size_t admitted() const { return admitted_; }

 private:
  // The only way into runnable_.
  void Add(RunPtr run) {
    runnable_.push_back(std::move(run));
    lookout_.Added(runnable_.size());
  }

  const size_t max_admitted_;
  const size_t max_waiting_;
  Lookout& lookout_;
  size_t admitted_ = 0;
  std::deque<RunPtr> runnable_;
  std::deque<RunPtr> waiting_;
};

}  // namespace isobox
