#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "native/core/pool.h"
#include "test/native/fake_guest.h"
#include "test/native/open_pool.h"

// Guests that a pool makes ahead.
namespace isobox {
namespace {

using std::chrono::milliseconds;
using test::EventKind;
using test::Eventually;
using test::OpenPool;

// Without warm guests, so that each test counts only the guests of its runs.
PoolOptions Options(size_t threads) { return {.threads = threads, .warm_target = 0}; }

TEST(Pool, KeepsWarmGuestsUpToItsTarget) {
  OpenPool pool({.threads = 2, .warm_target = 3});
  EXPECT_TRUE(Eventually([&] { return pool->Stats().warm == 3; }));
  EXPECT_EQ(pool.book().made, 3);
  EXPECT_EQ(pool.book().begun, 0);
}

TEST(Pool, AnswersPrewarmOnceTheGuestsAreReady) {
  OpenPool pool(Options(2));
  EXPECT_EQ(pool->Stats().warm, 0U);
  pool->Prewarm(77, 4);
  ASSERT_TRUE(pool.channel().WaitForCount(EventKind::kWarm, 1));
  EXPECT_EQ(pool.channel().Events().at(0).id, 77U);
  EXPECT_EQ(pool->Stats().warm, 4U);
  pool->Prewarm(78, 2);  // ready already
  EXPECT_EQ(pool.channel().Count(EventKind::kWarm), 2U);
  EXPECT_EQ(pool.book().made, 4);
}

TEST(Pool, AnswersPrewarmWhenItCloses) {
  const auto release = test::NewSignal();
  const auto is_making = test::NewSignal();
  OpenPool pool(Options(1), {.on_make = [=] {
                  is_making->Raise();
                  static_cast<void>(release->Wait());
                }});
  pool->Prewarm(1, 2);
  ASSERT_TRUE(is_making->Wait());
  pool->Prewarm(2, 5);
  pool->Close();
  EXPECT_EQ(pool.channel().Count(EventKind::kWarm), 2U);
  pool->Prewarm(3, 1);
  EXPECT_EQ(pool.channel().Count(EventKind::kWarm), 3U);
  release->Raise();
  EXPECT_TRUE(pool->WaitUntilClosed(test::kPatience));
  EXPECT_EQ(pool.channel().Count(EventKind::kWarm), 3U);
}

TEST(Pool, RunsTakeWarmGuestsAndUseThemOnce) {
  OpenPool pool(Options(1));
  pool->Prewarm(1, 3);
  ASSERT_TRUE(pool.channel().WaitForCount(EventKind::kWarm, 1));
  for (RunId run = 1; run <= 3; ++run) {
    pool.Start(run);
    ASSERT_EQ(pool.channel().WaitForCause(run), StopCause::kFinished);
  }
  EXPECT_EQ(pool.book().made, 3);  // none was made for the runs
  EXPECT_EQ(pool.book().made_ahead, 3);
  EXPECT_EQ(pool.book().begun, 3);
  pool.Start(4);
  ASSERT_EQ(pool.channel().WaitForCause(4), StopCause::kFinished);
  EXPECT_EQ(pool.book().made, 4);
  EXPECT_EQ(pool.book().made_ahead, 3);
}

TEST(Pool, RefillsTheShelfAfterUse) {
  OpenPool pool({.threads = 2, .warm_target = 2});
  for (RunId run = 1; run <= 20; ++run) {
    ASSERT_TRUE(Eventually([&] { return pool->Stats().warm == 2; }));
    pool.Start(run);
    ASSERT_EQ(pool.channel().WaitForCause(run), StopCause::kFinished);
  }
  EXPECT_TRUE(Eventually([&] { return pool->Stats().warm == 2; }));
  EXPECT_EQ(pool.book().begun, 20);
  EXPECT_EQ(pool.book().made, 22);
}

TEST(Pool, DisposesOfWarmGuestsWhenItIsIdle) {
  OpenPool pool({.threads = 2, .warm_target = 2, .warm_idle = milliseconds(300)});
  pool.Start(1);
  ASSERT_EQ(pool.channel().WaitForCause(1), StopCause::kFinished);
  EXPECT_TRUE(Eventually([&] { return pool.book().made >= 3; }));
  EXPECT_TRUE(Eventually([&] { return pool.book().alive == 0; }));
  EXPECT_EQ(pool->Stats().warm, 0U);
  pool.Start(2);  // and keeps them again once it is used
  ASSERT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  EXPECT_TRUE(Eventually([&] { return pool.book().made >= 6; }));
}

TEST(Pool, MakingWarmGuestsLeavesAThreadForRuns) {
  const auto release = test::NewSignal();
  std::atomic<bool> is_slow{false};
  std::atomic<int> waiting{0};
  OpenPool pool(Options(2), {.on_make = [&, release] {
                  if (!is_slow) return;
                  waiting += 1;
                  static_cast<void>(release->Wait());
                }});
  pool->Prewarm(1, 1);
  ASSERT_TRUE(pool.channel().WaitForCount(EventKind::kWarm, 1));
  is_slow = true;
  pool->Prewarm(2, 10);
  ASSERT_TRUE(Eventually([&] { return waiting == 1; }));
  pool.Start(1);  // with the guest that is ready
  EXPECT_EQ(pool.channel().WaitForCause(1, milliseconds(5000)), StopCause::kFinished);
  EXPECT_EQ(waiting, 1);
  release->Raise();
}

}  // namespace
}  // namespace isobox
