#include "native/process/timers.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

namespace isobox {

Timers::Timers() : timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {}

Timers::Key Timers::Set(Clock::duration delay, std::function<void()> action) {
  const Key key{Clock::now() + delay, next_++};
  actions_.emplace(key, std::move(action));
  if (key.first < armed_) Arm();
  return key;
}

void Timers::Run() {
  uint64_t expirations = 0;
  static_cast<void>(read(timer_.number(), &expirations, sizeof expirations));
  armed_ = Clock::time_point::max();
  const auto now = Clock::now();
  while (!actions_.empty() && actions_.begin()->first.first <= now) {
    const auto action = std::move(actions_.begin()->second);
    actions_.erase(actions_.begin());
    action();
  }
  Arm();
}

void Timers::Arm() {
  if (actions_.empty()) return;
  constexpr int64_t kNanos = 1'000'000'000;
  armed_ = actions_.begin()->first.first;
  const auto left = std::chrono::nanoseconds(armed_ - Clock::now()).count();
  const int64_t ns = std::max<int64_t>(left, 1);
  const itimerspec when{{0, 0}, {ns / kNanos, ns % kNanos}};
  timerfd_settime(timer_.number(), 0, &when, nullptr);
}

}  // namespace isobox
