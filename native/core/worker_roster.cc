#include "native/core/worker_roster.h"

#include <atomic>
#include <utility>

namespace isobox {
namespace {

std::atomic<size_t> lost_in_process{0};

}  // namespace

size_t WorkerRoster::LostInProcess() { return lost_in_process; }

bool WorkerRoster::StartOne(const Starter& start) {
  auto thread = std::make_shared<Thread>();
  if (!start(thread)) return false;
  const Thread* const key = thread.get();
  workers_[key].thread = std::move(thread);
  live_ += 1;
  return true;
}

void WorkerRoster::Replenish(const Starter& start) {
  if (HasRoom()) {
    is_exhausted_ = false;
    while (live_ < bounds_.threads && StartOne(start))
      continue;
  } else if (live_ == 0 && !HasLate()) {
    is_exhausted_ = true;
    StartOne(start);
  }
}

void WorkerRoster::KeepOne(const Starter& start) {
  if (live_ == 0) StartOne(start);
}

void WorkerRoster::BeginTurn(const Thread& worker, std::shared_ptr<Run> run) {
  workers_.at(&worker).serving = std::move(run);
}

bool WorkerRoster::EndTurn(const Thread& worker) {
  Worker& entry = workers_.at(&worker);
  entry.serving.reset();
  return entry.state == State::kLive;
}

std::vector<std::shared_ptr<Run>> WorkerRoster::InTurn() const {
  std::vector<std::shared_ptr<Run>> runs;
  for (const auto& [thread, worker] : workers_) {
    if (worker.serving) runs.push_back(worker.serving);
  }
  return runs;
}

bool WorkerRoster::Lose(const Thread& worker, const Run& run, Watchdog::Alarm patience) {
  // By now it may be idle, in another run or gone.
  const auto place = workers_.find(&worker);
  if (place == workers_.end() || place->second.serving.get() != &run) return false;
  Worker& entry = place->second;
  entry.serving.reset();
  entry.state = State::kLate;
  entry.lost_bytes = run.memory_limit();
  entry.patience = std::move(patience);
  entry.thread->LowerPriority();
  live_ -= 1;
  lost_ += 1;
  lost_bytes_ += entry.lost_bytes;
  lost_in_process += 1;
  return true;
}

bool WorkerRoster::MarkStuck(const Thread& worker) {
  const auto place = workers_.find(&worker);
  if (place == workers_.end()) return false;
  place->second.state = State::kStuck;
  stuck_ += 1;
  return true;
}

void WorkerRoster::Remove(const Thread& worker) {
  const auto place = workers_.find(&worker);
  const Worker& entry = place->second;
  if (entry.state == State::kLive) {
    live_ -= 1;
  } else {
    lost_ -= 1;
    lost_bytes_ -= entry.lost_bytes;
    stuck_ -= entry.state == State::kStuck ? 1 : 0;
    lost_in_process -= 1;
  }
  workers_.erase(place);
}

}  // namespace isobox
