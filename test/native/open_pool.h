#pragma once
// A pool of scripted guests for one test, which checks when it ends that nothing was left behind.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "native/core/pool.h"
#include "test/native/fake_guest.h"

namespace isobox::test {

class OpenPool {
 public:
  // Both run on whichever thread posts the event or makes the guest.
  struct Hooks {
    std::function<void(const Event&)> before_event;
    std::function<void()> on_make;
  };

  explicit OpenPool(PoolOptions options) : OpenPool(options, Hooks{}) {}
  OpenPool(PoolOptions options, Hooks hooks)
      : book_(std::make_shared<ScriptBook>()),
        channel_(std::make_shared<RecordingChannel>(std::move(hooks.before_event))) {
    book_->OnMake(std::move(hooks.on_make));
    pool_ = Pool::Create(options, book_->Factory(), channel_);
  }
  OpenPool(const OpenPool&) = delete;
  OpenPool& operator=(const OpenPool&) = delete;

  // Every run has its one outcome, every guest is gone, every thread that can come back is back.
  ~OpenPool() {
    pool_->Close();
    EXPECT_TRUE(pool_->WaitUntilClosed(kPatience));
    EXPECT_TRUE(channel_->WaitForCount(EventKind::kClosed, 1));
    EXPECT_TRUE(WaitUntilLost(expected_lost_));
    EXPECT_TRUE(WaitUntilStuck(expected_lost_));
    EXPECT_TRUE(Eventually([&] { return book_->alive == static_cast<int>(expected_lost_); }))
        << book_->alive << " guests are alive";
    EXPECT_TRUE(channel_->WaitForCount(EventKind::kOutcome, started_));
    EXPECT_EQ(channel_->Count(EventKind::kOutcome), started_);
    EXPECT_EQ(channel_->Count(EventKind::kClosed), 1U);
    EXPECT_EQ(channel_->LateEvents(), 0U);
    EXPECT_LE(channel_->EventsAfterClosed(), started_after_close_);
    EXPECT_EQ(book_->violations, 0);
    if (expected_lost_ > 0) return;  // those threads keep the pool for ever
    const std::weak_ptr<Pool> left = pool_;
    pool_.reset();
    EXPECT_TRUE(Eventually([&] { return left.expired(); }));
  }

  void Start(RunId run, Script script, RunLimits limits = {}) {
    book_->Set(run, std::move(script));
    started_ += 1;
    pool_->Start(Request(run, limits));
    if (channel_->Count(EventKind::kClosed) > 0) started_after_close_ += 1;
  }
  void Start(RunId run) { Start(run, {}); }
  void Stop(RunId run, std::string reason = {}) {
    pool_->Stop(run, StopCause::kTerminated, std::move(reason));
  }
  // Tells the final check of a thread that never comes back.
  void ExpectLostThread() { expected_lost_ += 1; }

  bool WaitUntilParked(size_t count) {
    return Eventually([&] { return pool_->Stats().parked == count; });
  }
  bool WaitUntilLost(size_t count) {
    return Eventually([&] { return WorkerRoster::LostInProcess() == lost_before_ + count; });
  }
  // Of those that are lost.
  bool WaitUntilStuck(size_t count) {
    return Eventually([&] { return pool_->Stats().stuck == count; });
  }

  Pool* operator->() { return pool_.get(); }
  RecordingChannel& channel() { return *channel_; }
  ScriptBook& book() { return *book_; }

 private:
  const std::shared_ptr<ScriptBook> book_;           // shared with the guests
  const std::shared_ptr<RecordingChannel> channel_;  // shared with the pool
  std::shared_ptr<Pool> pool_;                       // shared with its threads
  const size_t lost_before_ = WorkerRoster::LostInProcess();
  std::atomic<size_t> started_{0};
  std::atomic<size_t> started_after_close_{0};
  size_t expected_lost_ = 0;
};

}  // namespace isobox::test
