#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "native/core/pool.h"
#include "test/native/fake_guest.h"
#include "test/native/open_pool.h"

// A pool that has lost more threads than it may replace.
namespace isobox {
namespace {

using std::chrono::milliseconds;
using test::EventKind;
using test::Eventually;
using test::OpenPool;
using test::Signal;

constexpr milliseconds kAtOnce{0};
constexpr milliseconds kSoon{1};
constexpr milliseconds kNever{3600000};

// Fills a pool with guests that do not come back until it takes no more.
class Exhaustion {
 public:
  explicit Exhaustion(OpenPool& pool) : pool_(pool) {}
  // The number of threads it took.
  size_t Bring() {
    for (RunId run = kFirst; run < kFirst + 100; ++run) {
      const auto inside = test::NewSignal();
      pool_.Start(run, test::HoldsUntil(release_, inside));
      if (pool_.channel().WaitForCause(run, kAtOnce) == StopCause::kExhausted) return run - kFirst;
      EXPECT_TRUE(inside->Wait());
      pool_.Stop(run);
      EXPECT_EQ(pool_.channel().WaitForCause(run), StopCause::kTerminated);
      EXPECT_TRUE(pool_.WaitUntilStuck(run - kFirst + 1));
    }
    return 0;
  }
  void Relieve() { release_->Raise(); }

 private:
  static constexpr RunId kFirst = 1000;
  OpenPool& pool_;
  const std::shared_ptr<Signal> release_ = test::NewSignal();
};

TEST(Pool, RefusesRunsOnceTooManyThreadsAreStuckAndRecovers) {
  OpenPool pool({.threads = 2, .warm_target = 0, .max_stuck = 3, .stuck_after = kSoon});
  Exhaustion exhaustion(pool);
  EXPECT_EQ(exhaustion.Bring(), 2U + 3U);  // its threads, and as many replacements as it may make
  EXPECT_EQ(pool->Stats().threads, 0U);
  EXPECT_EQ(pool->Stats().stuck, 5U);
  pool.Start(1);
  const auto refused = pool.channel().WaitForOutcome(1, kAtOnce).value_or(RunOutcome{});
  EXPECT_EQ(refused.cause, StopCause::kExhausted);
  EXPECT_EQ(refused.reason, "5");

  exhaustion.Relieve();
  ASSERT_TRUE(pool.WaitUntilStuck(0));
  pool.Start(2);
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  EXPECT_TRUE(Eventually([&] { return pool->Stats().threads == 2; }));
}

// A thread that is only late comes back as a rule: its pool is not exhausted yet.
TEST(Pool, RunsWaitForAThreadThatIsOnlyLate) {
  OpenPool pool({.threads = 1, .warm_target = 0, .max_stuck = 0, .stuck_after = kNever});
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Start(2);
  pool.Stop(1);
  ASSERT_EQ(pool.channel().WaitForCause(1), StopCause::kTerminated);
  ASSERT_TRUE(pool.WaitUntilLost(1));
  pool.Start(3);
  pool->Prewarm(7, 1);
  EXPECT_FALSE(pool.channel().WaitForOutcome(3, milliseconds(50)).has_value());
  EXPECT_EQ(pool.channel().Count(EventKind::kWarm), 0U);
  release->Raise();
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  EXPECT_EQ(pool.channel().WaitForCause(3), StopCause::kFinished);
  EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kWarm, 1));
}

TEST(Pool, AnswersOpenRunsWhenNoThreadIsLeft) {
  OpenPool pool({.threads = 1, .max_running = 2, .warm_target = 0, .max_stuck = 0});
  pool.Start(1, test::Parks());
  ASSERT_TRUE(pool.WaitUntilParked(1));
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  pool.Start(2, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Start(3);  // waits for a place
  pool.Stop(2);
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kExhausted);
  // The stuck run's place may have come to this one just before.
  EXPECT_EQ(pool.channel().WaitForCause(3), StopCause::kExhausted);
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kTerminated);
  EXPECT_EQ(pool.channel().WaitForOutcome(1)->reason, "1");
  release->Raise();
}

TEST(Pool, DisposesOfTheGuestsOfRunsThatItCannotGoOnWith) {
  constexpr RunId kParked = 20;
  OpenPool pool({.threads = 1, .warm_target = 0, .max_stuck = 1, .stuck_after = kSoon});
  for (RunId run = 1; run <= kParked; ++run)
    pool.Start(run, test::Parks());
  ASSERT_TRUE(pool.WaitUntilParked(kParked));
  Exhaustion exhaustion(pool);
  const size_t stuck = exhaustion.Bring();
  for (RunId run = 1; run <= kParked; ++run)
    EXPECT_EQ(pool.channel().WaitForCause(run), StopCause::kExhausted);
  // What is left are the guests that do not come back.
  EXPECT_TRUE(Eventually([&] { return pool.book().alive == static_cast<int>(stuck); }));
  EXPECT_EQ(pool->Stats().threads, 0U);
  EXPECT_EQ(pool->Stats().queued, 0U);
  EXPECT_EQ(pool->Stats().stuck, stuck);
  pool.Start(kParked + 1);
  EXPECT_EQ(pool.channel().WaitForCause(kParked + 1, kAtOnce), StopCause::kExhausted);
  exhaustion.Relieve();
}

TEST(Pool, ClosesWithGuestsAndWithoutAThread) {
  OpenPool pool({.threads = 1, .warm_target = 0, .max_stuck = 0, .stuck_after = kNever});
  pool->Prewarm(1, 2);
  ASSERT_TRUE(pool.channel().WaitForCount(EventKind::kWarm, 1));
  pool.Start(1, test::Parks());
  ASSERT_TRUE(pool.WaitUntilParked(1));
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  pool.Start(2, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Stop(2);
  ASSERT_TRUE(pool.WaitUntilLost(1));
  pool.Start(3, test::Parks());
  pool->Close();
  EXPECT_TRUE(pool->WaitUntilClosed(test::kPatience));
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kDisposed);
  EXPECT_EQ(pool.channel().WaitForCause(3), StopCause::kDisposed);
  EXPECT_EQ(pool.book().alive, 1);  // the one that does not come back
  release->Raise();
}

TEST(Pool, BoundsWhatTheGuestsOfLostThreadsMayHold) {
  constexpr uint64_t kMiB = uint64_t{1} << 20U;
  OpenPool pool({.threads = 1,
                 .warm_target = 0,
                 .max_stuck = 100,
                 .max_stuck_bytes = 100 * kMiB,
                 .stuck_after = kSoon});
  const auto release = test::NewSignal();
  for (RunId run = 1; run <= 2; ++run) {
    const auto inside = test::NewSignal();
    pool.Start(run, test::HoldsUntil(release, inside), {.memory_bytes = 64 * kMiB});
    ASSERT_TRUE(inside->Wait());
    pool.Stop(run);
    ASSERT_TRUE(pool.WaitUntilStuck(run));
  }
  pool.Start(3);
  EXPECT_EQ(pool.channel().WaitForCause(3, kAtOnce), StopCause::kExhausted);
  EXPECT_EQ(pool.channel().WaitForOutcome(3)->reason, "2");
  release->Raise();
  ASSERT_TRUE(pool.WaitUntilLost(0));
  pool.Start(4);
  EXPECT_EQ(pool.channel().WaitForCause(4), StopCause::kFinished);
}

TEST(Pool, AnswersPrewarmRequestsWhenNoThreadIsLeft) {
  OpenPool pool({.threads = 1, .warm_target = 0, .max_stuck = 0});
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool->Prewarm(5, 1);
  pool.Stop(1);
  EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kWarm, 1, milliseconds(5000)));
  release->Raise();
}

TEST(Pool, HasItsThreadsBackWhenTheStuckOnesReturn) {
  OpenPool pool({.threads = 2, .warm_target = 0, .max_stuck = 0, .stuck_after = kSoon});
  Exhaustion exhaustion(pool);
  ASSERT_GT(exhaustion.Bring(), 0U);
  exhaustion.Relieve();
  // Without another run having to ask for them.
  EXPECT_TRUE(Eventually([&] { return pool->Stats().threads == 2; }, milliseconds(5000)));
}

TEST(Pool, RecoversFromGuestsThatUseUpInterrupts) {
  // More than a thread gets before it is lost.
  constexpr int kInterrupts = 7;
  OpenPool pool({.threads = 1, .warm_target = 0, .max_stuck = 0, .stuck_after = kSoon});
  const auto inside = test::NewSignal();
  pool.Start(1, [inside](test::GuestTurn& turn) {
    inside->Raise();
    return test::UsesUpInterrupts(kInterrupts)(turn);
  });
  ASSERT_TRUE(inside->Wait());
  pool.Stop(1);
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kTerminated);
  EXPECT_TRUE(pool.WaitUntilLost(0));
  EXPECT_TRUE(Eventually([&] { return pool->Stats().threads == 1; }));
  pool.Start(2);
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
}

}  // namespace
}  // namespace isobox
