#include <gtest/gtest.h>

#include <chrono>

#include "native/core/pool.h"
#include "test/native/fake_guest.h"
#include "test/native/open_pool.h"

#ifdef __SANITIZE_THREAD__
// A lost thread keeps its pool for ever, so nobody joins the watchdog that has ended.
extern "C" __attribute__((visibility("default"))) const char*
__tsan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "report_thread_leaks=0";
}
#endif

// Guests whose engine fails for good, and which take their thread with them.
namespace isobox {
namespace {

using std::chrono::milliseconds;
using test::GuestTurn;
using test::OpenPool;

constexpr milliseconds kSoon{1};

TEST(Pool, OutlivesAGuestThatLosesItsThread) {
  OpenPool pool({.threads = 1, .max_running = 1, .warm_target = 0, .stuck_after = kSoon});
  pool.ExpectLostThread();
  pool.Start(1, test::LosesItsThread(StopCause::kCrashed));
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kCrashed);
  pool.Start(2);
  EXPECT_EQ(pool.channel().WaitForCause(2, milliseconds(5000)), StopCause::kFinished);
  EXPECT_TRUE(pool.WaitUntilStuck(1));
  EXPECT_EQ(pool->Stats().threads, 1U);
}

TEST(Pool, ALostThreadKeepsTheCauseOfAnEarlierStop) {
  const auto inside = test::NewSignal();
  const auto release = test::NewSignal();
  OpenPool pool({.threads = 1, .warm_target = 0, .stuck_after = kSoon});
  pool.ExpectLostThread();
  pool.Start(1, [=](GuestTurn& turn) {
    inside->Raise();
    static_cast<void>(release->Wait());
    return test::LosesItsThread(StopCause::kCrashed)(turn);
  });
  ASSERT_TRUE(inside->Wait());
  pool.Stop(1, "first");
  release->Raise();
  const auto outcome = pool.channel().WaitForOutcome(1);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kTerminated);
  EXPECT_EQ(outcome->reason, "first");
  EXPECT_TRUE(pool.WaitUntilStuck(1));
}

TEST(Pool, ClosesAroundALostThread) {
  OpenPool pool({.threads = 2, .warm_target = 1, .stuck_after = kSoon});
  pool.ExpectLostThread();
  pool.Start(1, test::Parks());
  ASSERT_TRUE(pool.WaitUntilParked(1));
  pool.Start(2, test::LosesItsThread(StopCause::kMemory));
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kMemory);
  pool->Close();
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kDisposed);
  EXPECT_TRUE(pool->WaitUntilClosed(test::kPatience));
}

}  // namespace
}  // namespace isobox
