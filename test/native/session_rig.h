#pragma once
// A session with everything it needs, but without a pool, for its tests.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "native/core/session.h"
#include "native/core/watchdog.h"
#include "test/native/fake_guest.h"

namespace isobox::test {

inline constexpr RunId kRun = 5;

// Stands in for the pool and notes what the session asks of it.
class FakeHost final : public SessionHost {
 public:
  explicit FakeHost(std::shared_ptr<ScriptBook> book) : factory_(book->Factory()) {}

  void MakeRunnable(std::shared_ptr<Session> /*session*/) override { made_runnable += 1; }
  void Withdraw(const std::shared_ptr<Session>& /*session*/) override { withdrawn += 1; }
  std::unique_ptr<Guest> TakeGuest() override {
    if (before_guest) before_guest();
    return factory_(Readiness::kAtOnce);
  }
  void NoteSettled(const SettledFacts& facts) override {
    last_cause = facts.cause;
    settled += 1;
  }
  bool WriteOff(const std::shared_ptr<Worker>& worker, const Session& /*session*/) override {
    written_off_worker = worker.get();
    settled_before_write_off = settled.load();
    written_off += 1;
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
  std::atomic<int> written_off{0};
  std::atomic<int> answered{0};
  std::atomic<int> settled_before_write_off{-1};
  std::atomic<int> settled_before_answered{-1};
  std::atomic<bool> has_worker_come_back{false};
  std::atomic<StopCause> last_cause{StopCause::kNone};
  std::atomic<const Worker*> written_off_worker{nullptr};

 private:
  const GuestFactory factory_;
};

// One turn of a session on a thread of its own.
class TurnThread {
 public:
  explicit TurnThread(std::shared_ptr<Session> session) {
    const bool has_started = worker_->thread.TryStart(
        "isobox-test", 1U << 20U,
        [this, session = std::move(session)] { result_ = session->Turn(worker_); });
    EXPECT_TRUE(has_started);
  }
  TurnThread(const TurnThread&) = delete;
  TurnThread& operator=(const TurnThread&) = delete;
  ~TurnThread() { worker_->thread.Join(); }

  Session::TurnResult Join() {
    worker_->thread.Join();
    return result_;
  }
  const Worker* worker() const { return worker_.get(); }

 private:
  const std::shared_ptr<Worker> worker_ = std::make_shared<Worker>();  // shared with the session
  Session::TurnResult result_ = Session::TurnResult::kParked;
};

// A session with everything it refers to.
struct Rig {
  explicit Rig(Script script = {}, RunLimits limits = {}) {
    book->Set(kRun, std::move(script));
    session = std::make_shared<Session>(Request(kRun, limits), channel, watchdog, host);
  }
  ~Rig() {
    EXPECT_EQ(channel.LateEvents(), 0U);
    EXPECT_EQ(book->violations, 0);
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  Session::TurnResult Turn() { return TurnThread(session).Join(); }
  void Stop(std::string reason = {}) { session->Stop(StopCause::kTerminated, std::move(reason)); }

  const std::shared_ptr<ScriptBook> book = std::make_shared<ScriptBook>();
  RecordingChannel channel;
  FakeHost host{book};
  Watchdog watchdog;                 // after what its actions use: it ends first
  std::shared_ptr<Session> session;  // last: it refers to everything above
};

}  // namespace isobox::test
