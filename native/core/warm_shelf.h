#pragma once
// Unused guests, prepared ahead. Each leaves the shelf once, for one run. Not thread-safe: the pool
// guards it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "native/core/guest.h"
#include "native/core/run_types.h"

namespace isobox {

class WarmShelf {
 public:
  using Clock = std::chrono::steady_clock;
  using TimePoint = Clock::time_point;

  // Keeps `target` guests ready while the pool is in use; after `idle` without use, none. It is
  // asked for `most` guests at most.
  WarmShelf(size_t target, Clock::duration idle, uint64_t most = kUnlimited)
      : target_(target), idle_(idle), left_(most) {}

  // Marks the pool as in use.
  void Touch(TimePoint now) { last_use_ = now; }

  // True when another guest should be made ready: BeginPreparation and Put follow.
  bool WantsMore(TimePoint now) const { return ready_.size() + in_preparation_ < Wanted(now); }
  void BeginPreparation() { in_preparation_ += 1; }
  size_t in_preparation() const { return in_preparation_; }

  // Requests whose count is reached by this guest are added to `reached`.
  void Put(std::unique_ptr<Guest> guest, std::vector<uint64_t>& reached);

  // Null when nothing is ready. Requests that ask for more than will still be taken are added to
  // `reached`.
  std::unique_ptr<Guest> Take(std::vector<uint64_t>& reached);

  // Asks for at least `count` ready guests, once. True when they are ready now.
  bool Request(uint64_t request, size_t count, TimePoint now);
  std::vector<uint64_t> DropRequests();

  // Guests to dispose of because the pool has been idle for long.
  std::vector<std::unique_ptr<Guest>> TakeExpired(TimePoint now);
  std::vector<std::unique_ptr<Guest>> TakeAll();
  // When TakeExpired has something to give; TimePoint::max() when nothing is ready.
  TimePoint NextExpiry() const;

  size_t size() const { return ready_.size(); }

 private:
  struct PendingRequest {
    uint64_t id;
    size_t count;
  };
  size_t Wanted(TimePoint now) const;
  // Whether so many are ready, or as many as will still be taken.
  bool Has(size_t count) const;
  void Collect(std::vector<uint64_t>& reached);

  const size_t target_;
  const Clock::duration idle_;
  uint64_t left_;  // how many will still be taken
  TimePoint last_use_ = Clock::now();
  size_t in_preparation_ = 0;
  std::deque<std::unique_ptr<Guest>> ready_;
  std::vector<PendingRequest> requests_;
};

}  // namespace isobox
