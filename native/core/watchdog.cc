#include "native/core/watchdog.h"

namespace isobox {
namespace {

constexpr size_t kWatchdogStackBytes = 256U << 10U;

}  // namespace

bool Watchdog::Start() {
  auto state = state_.Lock();
  if (!state->has_started && !state->closing) {
    state->has_started = thread_.TryStart("isobox-watch", kWatchdogStackBytes, [this] { Watch(); });
  }
  return state->has_started;
}

void Watchdog::Retire() {
  state_.Lock()->closing = true;
  changed_.notify_all();
}

void Watchdog::Close() {
  Retire();
  thread_.Join();
  // Destroyed outside the lock and before the map: actions may own the alarms of others.
  std::map<Alarm::Key, Action> dropped;
  state_.Lock()->alarms.swap(dropped);
}

Watchdog::Alarm Watchdog::ArmAt(TimePoint when, Action action) {
  Alarm::Key key;
  bool is_first = false;
  {
    auto state = state_.Lock();
    key = {when, state->next_id++};
    const auto place = state->alarms.emplace(key, std::move(action)).first;
    is_first = place == state->alarms.begin();
  }
  if (is_first) changed_.notify_one();
  return {this, key};
}

void Watchdog::Alarm::Disarm() {
  if (dog_ == nullptr) return;
  Action released;  // destroyed outside the lock: it may own the last reference to a run
  {
    auto state = dog_->state_.Lock();
    const auto place = state->alarms.find(key_);
    if (place != state->alarms.end()) {
      released = std::move(place->second);
      state->alarms.erase(place);
    }
  }
  dog_ = nullptr;
}

void Watchdog::Watch() {
  while (true) {
    Action due;
    {
      auto state = state_.Lock();
      while (!due) {
        if (state->closing) return;
        if (state->alarms.empty()) {
          state.Wait(changed_);
          continue;
        }
        const auto first = state->alarms.begin();
        if (first->first.first > Clock::now()) {
          state.WaitUntil(changed_, first->first.first);
          continue;
        }
        due = std::move(first->second);
        state->alarms.erase(first);
      }
    }
    due();
  }
}

}  // namespace isobox
