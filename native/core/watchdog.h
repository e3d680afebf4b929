#pragma once
// One timer thread. Alarms are scopes: they disarm when they end. None fires before Start. Any
// thread.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "native/core/guarded.h"
#include "native/core/thread.h"

namespace isobox {

class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;
  using TimePoint = Clock::time_point;
  // Runs on the watchdog thread without any watchdog lock held; must be quick and must not block.
  using Action = std::function<void()>;

  // An armed alarm. Disarming does not wait for an action that has already started, so an action
  // must own what it touches.
  class Alarm {
   public:
    Alarm() = default;
    Alarm(Alarm&& other) noexcept { *this = std::move(other); }
    Alarm& operator=(Alarm&& other) noexcept {
      if (this != &other) {
        Disarm();
        dog_ = std::exchange(other.dog_, nullptr);
        key_ = other.key_;
      }
      return *this;
    }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm() { Disarm(); }

    void Disarm();

   private:
    friend class Watchdog;
    using Key = std::pair<TimePoint, uint64_t>;
    Alarm(Watchdog* dog, Key key) : dog_(dog), key_(key) {}
    Watchdog* dog_ = nullptr;
    Key key_;
  };

  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  // Alarms must not outlive the watchdog.
  ~Watchdog() { Close(); }

  // Starts the thread unless it has been started. Does not wait: false when the system has no room
  // for it now.
  [[nodiscard]] bool Start();
  // Lets the thread end; no alarm fires any more. Does not wait, so any thread may call it.
  void Retire();
  // Fires no more alarms, and returns when no action is under way. Idempotent; not from an action.
  void Close();

  [[nodiscard]] Alarm ArmAt(TimePoint when, Action action);
  [[nodiscard]] Alarm ArmIn(Clock::duration delay, Action action) {
    return ArmAt(Clock::now() + delay, std::move(action));
  }

 private:
  struct State {
    std::map<Alarm::Key, Action> alarms;
    uint64_t next_id = 0;
    bool has_started = false;
    bool closing = false;
  };

  void Watch();

  Guarded<State> state_;
  std::condition_variable changed_;
  Thread thread_;  // last: it uses everything above
};

}  // namespace isobox
