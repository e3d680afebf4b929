#pragma once
// Timers of one thread, by way of a descriptor that is readable when one is due. They fire in Run,
// or not at all: nothing fires after it was dropped. One thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "native/process/shared_segment.h"

namespace isobox {

class Timers {
 public:
  using Clock = std::chrono::steady_clock;
  using Key = std::pair<Clock::time_point, uint64_t>;

  Timers();
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;
  ~Timers() = default;

  int descriptor() const { return timer_.number(); }

  Key Set(Clock::duration delay, std::function<void()> action);
  // Does nothing when it has fired.
  void Drop(const Key& key) { actions_.erase(key); }
  // Fires what is due. An action may set and drop others.
  void Run();

 private:
  // Sees to it that the descriptor tells of the next timer. One that was dropped may be told of.
  void Arm();

  const Descriptor timer_;
  std::map<Key, std::function<void()>> actions_;
  uint64_t next_ = 1;
  Clock::time_point armed_ = Clock::time_point::max();
};

}  // namespace isobox
