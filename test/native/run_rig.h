#pragma once
// A run with everything it needs, but without a pool, for its tests.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "native/core/run.h"
#include "native/core/watchdog.h"
#include "test/native/fake_guest.h"

namespace isobox::test {

inline constexpr RunId kRun = 5;

// Stands in for the pool and notes what the run asks of it.
class FakeScheduler final : public RunScheduler {
 public:
  explicit FakeScheduler(std::shared_ptr<ScriptBook> book) : factory_(book->Factory()) {}

  void MakeRunnable(std::shared_ptr<Run> /*run*/) override { made_runnable += 1; }
  void Withdraw(const std::shared_ptr<Run>& /*run*/) override { withdrawn += 1; }
  std::unique_ptr<Guest> TakeGuest() override {
    if (before_guest) before_guest();
    return factory_(Readiness::kAtOnce);
  }
  void NoteSettled(const SettledFacts& facts) override {
    last_cause = facts.cause;
    settled += 1;
  }
  bool LoseWorker(const std::shared_ptr<Thread>& worker, const Run& /*run*/) override {
    lost_worker = worker.get();
    settled_before_loss = settled.load();
    lost += 1;
    return !has_worker_come_back;
  }
  bool Linger(const std::atomic<bool>& is_parked) override {
    if (while_lingering) while_lingering();
    return !is_parked && !is_wanted_elsewhere;
  }
  void NoteAnswered() override {
    settled_before_answered = settled.load();
    answered += 1;
  }

  std::function<void()> before_guest;
  std::function<void()> while_lingering;
  bool is_wanted_elsewhere = false;
  std::atomic<int> made_runnable{0};
  std::atomic<int> withdrawn{0};
  std::atomic<int> settled{0};
  std::atomic<int> lost{0};
  std::atomic<int> answered{0};
  std::atomic<int> settled_before_loss{-1};
  std::atomic<int> settled_before_answered{-1};
  std::atomic<bool> has_worker_come_back{false};
  std::atomic<StopCause> last_cause{StopCause::kNone};
  std::atomic<const Thread*> lost_worker{nullptr};

 private:
  const GuestFactory factory_;
};

// One turn of a run on a thread of its own.
class TurnThread {
 public:
  explicit TurnThread(std::shared_ptr<Run> run) {
    const bool has_started = worker_->TryStart(
        "isobox-test", 1U << 20U, [this, run = std::move(run)] { result_ = run->Turn(worker_); });
    EXPECT_TRUE(has_started);
  }
  TurnThread(const TurnThread&) = delete;
  TurnThread& operator=(const TurnThread&) = delete;
  ~TurnThread() { worker_->Join(); }

  Run::TurnResult Join() {
    worker_->Join();
    return result_;
  }
  const Thread* worker() const { return worker_.get(); }

 private:
  const std::shared_ptr<Thread> worker_ = std::make_shared<Thread>();  // shared with the run
  Run::TurnResult result_ = Run::TurnResult::kParked;
};

// A run with everything it refers to.
struct Rig {
  explicit Rig(Script script = {}, RunLimits limits = {}) {
    EXPECT_TRUE(watchdog.Start());
    book->Set(kRun, std::move(script));
    run = std::make_shared<Run>(Request(kRun, limits), channel, watchdog, scheduler);
  }
  ~Rig() {
    EXPECT_EQ(channel.LateEvents(), 0U);
    EXPECT_EQ(book->violations, 0);
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  Run::TurnResult Turn() { return TurnThread(run).Join(); }
  void Stop(std::string reason = {}) { run->Stop(StopCause::kTerminated, std::move(reason)); }

  const std::shared_ptr<ScriptBook> book = std::make_shared<ScriptBook>();
  RecordingChannel channel;
  FakeScheduler scheduler{book};
  Watchdog watchdog;         // after what its actions use: it ends first
  std::shared_ptr<Run> run;  // last: it refers to everything above
};

}  // namespace isobox::test
