#pragma once
// Scripted guests and a host channel that records, for the tests of native/core. No V8.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "native/core/guarded.h"
#include "native/core/guest.h"
#include "native/core/host_channel.h"
#include "native/core/run_ledger.h"
#include "native/core/thread.h"

namespace isobox {

// For the messages of GoogleTest, which finds it by its name.
inline void PrintTo(StopCause cause, std::ostream* out) { *out << StopCauseName(cause); }

namespace test {

// Bounds every wait. Reached only by a test that fails, so it can be long: machines are noisy.
inline constexpr std::chrono::milliseconds kPatience{20000};

// Waits until the condition becomes true, by looking: for counters nobody announces.
template <typename Condition>
[[nodiscard]] bool Eventually(Condition condition, std::chrono::milliseconds patience = kPatience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Runs `body` on that many threads at once, each with its number, and waits for all.
template <typename Body>
void OnThreads(size_t count, Body body) {
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (size_t i = 0; i < count; ++i)
    threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads)
    thread.join();
}

// Raised once, waited for by any number of threads. Any thread.
class Signal {
 public:
  void Raise() {
    auto state = state_.Lock();
    state->is_raised = true;
    changed_.notify_all();  // with the lock held: a waiter may destroy this as soon as it has it
  }
  // False when nobody raised it in time.
  bool Wait(std::chrono::milliseconds patience = kPatience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    auto state = state_.Lock();
    while (!state->is_raised) {
      if (state.WaitUntil(changed_, deadline) == std::cv_status::timeout) return state->is_raised;
    }
    return true;
  }
  bool is_raised() { return state_.Lock()->is_raised; }

 private:
  struct State {
    bool is_raised = false;
  };
  Guarded<State> state_;
  std::condition_variable changed_;
};

inline std::shared_ptr<Signal> NewSignal() { return std::make_shared<Signal>(); }

class FakeGuest;

// One turn of a scripted guest.
struct GuestTurn {
  const RunRequest& request;
  RunLedger& ledger;
  GuestOwner& owner;
  FakeGuest& guest;
  size_t number;  // 1 for the first
  std::vector<GuestMessage> messages;
};

using Script = std::function<std::optional<GuestResult>(GuestTurn&)>;

// What the guests do, by run, and what became of them. Shared by the test and its guests. Any
// thread.
class ScriptBook : public std::enable_shared_from_this<ScriptBook> {
 public:
  void Set(RunId run, Script script) { (*scripts_.Lock())[run] = std::move(script); }
  Script Find(RunId run) {
    auto scripts = scripts_.Lock();
    const auto place = scripts->find(run);
    return place == scripts->end() ? Script{} : place->second;
  }
  // Runs in the factory, before the guest exists. Set before the pool is opened.
  void OnMake(std::function<void()> action) { on_make_ = std::move(action); }

  inline GuestFactory Factory();

  std::atomic<int> made{0};
  std::atomic<int> made_ahead{0};
  std::atomic<int> alive{0};
  std::atomic<int> begun{0};
  std::atomic<int> turns{0};
  // A guest used twice, entered by two threads at once, or destroyed while it ran.
  std::atomic<int> violations{0};

 private:
  Guarded<std::map<RunId, Script>> scripts_;
  std::function<void()> on_make_;
};

// Finishes on its first turn unless the book has another script for its run.
class FakeGuest final : public Guest {
 public:
  explicit FakeGuest(std::shared_ptr<ScriptBook> book) : book_(std::move(book)) {
    book_->made += 1;
    book_->alive += 1;
  }
  ~FakeGuest() override {
    if (is_inside_) book_->violations += 1;
    book_->alive -= 1;
  }

  void Begin(const RunRequest& request, RunLedger& ledger, GuestOwner& owner) override {
    if (request_ != nullptr) book_->violations += 1;
    book_->begun += 1;
    request_ = &request;
    ledger_ = &ledger;
    owner_ = &owner;
    script_ = book_->Find(request.id);
  }

  std::optional<GuestResult> Turn(std::vector<GuestMessage> messages) override {
    if (request_ == nullptr || is_inside_.exchange(true)) book_->violations += 1;
    book_->turns += 1;
    turns_ += 1;
    GuestTurn turn{*request_, *ledger_, *owner_, *this, turns_, std::move(messages)};
    std::optional<GuestResult> result =
        script_ ? script_(turn) : GuestResult{StopCause::kFinished, {"done"}, {}};
    is_inside_ = false;
    return result;
  }

  void Interrupt() override {
    interrupts_ += 1;
    interrupted_.Raise();
  }
  void Sample() override { samples_ += 1; }

  bool is_interrupted() { return interrupted_.is_raised(); }
  bool WaitForInterrupt() { return interrupted_.Wait(); }
  int interrupts() const { return interrupts_; }
  int samples() const { return samples_; }

 private:
  const std::shared_ptr<ScriptBook> book_;  // shared with the test
  const RunRequest* request_ = nullptr;
  RunLedger* ledger_ = nullptr;
  GuestOwner* owner_ = nullptr;
  Script script_;
  size_t turns_ = 0;
  std::atomic<bool> is_inside_{false};
  Signal interrupted_;
  std::atomic<int> interrupts_{0};
  std::atomic<int> samples_{0};
};

inline GuestFactory ScriptBook::Factory() {
  return [book = shared_from_this()](Readiness readiness) -> std::unique_ptr<Guest> {
    if (readiness == Readiness::kAhead) book->made_ahead += 1;
    if (book->on_make_) book->on_make_();
    return std::make_unique<FakeGuest>(book);
  };
}

inline GuestResult Finished(std::string value) {
  return {StopCause::kFinished, {std::move(value)}, {}};
}

inline Script Finishes(std::string value) {
  return [value = std::move(value)](GuestTurn& /*turn*/) { return Finished(value); };
}

// Waits for ever, whatever it is told.
inline Script Parks() {
  return [](GuestTurn& /*turn*/) { return std::nullopt; };
}

// Waits for a reply and finishes with its value.
inline Script ParksUntilReplied() {
  return [](GuestTurn& turn) -> std::optional<GuestResult> {
    if (turn.messages.empty()) return std::nullopt;
    return Finished(std::get<ReplyMessage>(turn.messages.front()).value.bytes);
  };
}

// Holds its thread until it is interrupted, without using the processor.
inline Script RunsUntilInterrupted() {
  return [](GuestTurn& turn) -> std::optional<GuestResult> {
    static_cast<void>(turn.guest.WaitForInterrupt());
    return std::nullopt;
  };
}

// Goes on after every interrupt but the last of so many.
inline Script UsesUpInterrupts(int count) {
  return [count](GuestTurn& turn) -> std::optional<GuestResult> {
    static_cast<void>(Eventually([&] { return turn.guest.interrupts() >= count; }));
    return std::nullopt;
  };
}

// Uses the processor until it is interrupted.
inline Script BurnsUntilInterrupted() {
  return [](GuestTurn& turn) -> std::optional<GuestResult> {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!turn.guest.is_interrupted() && std::chrono::steady_clock::now() < deadline)
      continue;
    return std::nullopt;
  };
}

inline void BurnCpu(std::chrono::microseconds amount) {
  const uint64_t start = ThisThreadCpuTimeUs();
  while (ThisThreadCpuTimeUs() - start < static_cast<uint64_t>(amount.count()))
    continue;
}

// Does not react to interrupts: holds its thread until the signal is raised, then finishes.
inline Script HoldsUntil(std::shared_ptr<Signal> release) {
  return [release = std::move(release)](GuestTurn& /*turn*/) -> std::optional<GuestResult> {
    static_cast<void>(release->Wait());
    return Finished("late");
  };
}

// As HoldsUntil, and says when it is inside.
inline Script HoldsUntil(std::shared_ptr<Signal> release, std::shared_ptr<Signal> inside) {
  return [hold = HoldsUntil(std::move(release)), inside = std::move(inside)](GuestTurn& turn) {
    inside->Raise();
    return hold(turn);
  };
}

inline Script LosesItsThread(StopCause cause) {
  return [cause](GuestTurn& turn) -> std::optional<GuestResult> {
    turn.owner.LoseThread(cause);
    return std::nullopt;  // never: for compilers that ask for it
  };
}

inline RunRequest Request(RunId id, RunLimits limits = {}) {
  RunRequest request;
  request.id = id;
  request.limits = limits;
  return request;
}

inline ReplyMessage Reply(std::string value, CallId call = 1) {
  return {call, true, {std::move(value)}, {}};
}

enum class EventKind : uint8_t { kCall, kInvoked, kLog, kOutcome, kWarm, kClosed };

struct Event {
  EventKind kind = EventKind::kClosed;
  uint64_t id = 0;      // the run, or the prewarm request
  uint64_t detail = 0;  // the call, or the invocation
  std::string text;     // arguments, value or log line
  RunOutcome outcome;
};

// Keeps every event in order, and notices those that come too late. Any thread.
class RecordingChannel final : public HostChannel {
 public:
  // `before` sees each event on the posting thread before it is recorded, and may hold it up.
  explicit RecordingChannel(std::function<void(const Event&)> before = {})
      : before_(std::move(before)) {}

  void PostCall(CallEvent event) override {
    Record({EventKind::kCall, event.run, event.call, std::move(event.arguments.bytes), {}});
  }
  void PostInvoked(InvokedEvent event) override {
    Record({EventKind::kInvoked, event.run, event.invocation, std::move(event.value.bytes), {}});
  }
  void PostLog(RunId run, LogEntry entry) override {
    Record({EventKind::kLog, run, 0, std::move(entry.text), {}});
  }
  void PostOutcome(RunId run, RunOutcome outcome) override {
    Record({EventKind::kOutcome, run, 0, {}, std::move(outcome)});
  }
  void PostWarm(uint64_t request) override { Record({EventKind::kWarm, request, 0, {}, {}}); }
  void PostClosed() override { Record({EventKind::kClosed, 0, 0, {}, {}}); }

  std::vector<Event> Events() { return state_.Lock()->events; }
  size_t Count(EventKind kind) { return state_.Lock()->counts[kind]; }
  // Events of a run after its outcome, a second outcome included.
  size_t LateEvents() { return state_.Lock()->late; }
  // Prewarm requests apart, which a closed pool answers too.
  size_t EventsAfterClosed() { return state_.Lock()->after_closed; }

  bool WaitForCount(EventKind kind, size_t count, std::chrono::milliseconds patience = kPatience) {
    return WaitFor([&](State& state) { return state.counts[kind] >= count; }, patience);
  }
  // Empty when the run was not answered in time.
  std::optional<RunOutcome> WaitForOutcome(RunId run,
                                           std::chrono::milliseconds patience = kPatience) {
    std::optional<RunOutcome> found;
    WaitFor(
        [&](State& state) {
          const auto place = state.outcomes.find(run);
          if (place != state.outcomes.end()) found = place->second;
          return found.has_value();
        },
        patience);
    return found;
  }
  // kNone when the run was not answered in time.
  StopCause WaitForCause(RunId run, std::chrono::milliseconds patience = kPatience) {
    const auto outcome = WaitForOutcome(run, patience);
    return outcome ? outcome->cause : StopCause::kNone;
  }

 private:
  struct State {
    std::vector<Event> events;
    std::map<EventKind, size_t> counts;
    std::map<RunId, RunOutcome> outcomes;
    size_t late = 0;
    size_t after_closed = 0;
  };

  template <typename Condition>
  bool WaitFor(Condition condition, std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    auto state = state_.Lock();
    while (!condition(*state)) {
      if (state.WaitUntil(changed_, deadline) == std::cv_status::timeout) return condition(*state);
    }
    return true;
  }

  void Record(Event event) {
    if (before_) before_(event);
    auto state = state_.Lock();
    const bool is_of_run = event.kind != EventKind::kWarm && event.kind != EventKind::kClosed;
    if (event.kind != EventKind::kWarm && state->counts[EventKind::kClosed] > 0) {
      state->after_closed += 1;
    }
    if (is_of_run && state->outcomes.contains(event.id)) state->late += 1;
    if (event.kind == EventKind::kOutcome) state->outcomes.emplace(event.id, event.outcome);
    state->counts[event.kind] += 1;
    state->events.push_back(std::move(event));
    changed_.notify_all();
  }

  const std::function<void(const Event&)> before_;
  Guarded<State> state_;
  std::condition_variable changed_;
};

}  // namespace test
}  // namespace isobox
