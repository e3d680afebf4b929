#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "native/core/pool.h"
#include "test/native/fake_guest.h"
#include "test/native/open_pool.h"

// What a pool does to runs that take too much.
namespace isobox {
namespace {

using std::chrono::milliseconds;
using test::EventKind;
using test::Eventually;
using test::Finished;
using test::GuestTurn;
using test::OpenPool;

constexpr milliseconds kAtOnce{0};

// Without warm guests, so that each test counts only the guests of its runs.
PoolOptions Options(size_t threads) { return {.threads = threads, .warm_target = 0}; }

TEST(Pool, TheDeadlineEndsARunInEveryState) {
  constexpr RunLimits kSoon{.wall_us = 30000};
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  OpenPool pool({.threads = 2, .max_running = 4, .warm_target = 0});
  pool.Start(1, test::Parks(), kSoon);
  pool.Start(2, test::RunsUntilInterrupted(), kSoon);
  pool.Start(3, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Start(4, test::Parks());
  pool.Start(5, test::Parks(), kSoon);  // waits for a place
  for (const RunId run : {1, 2, 5}) {
    const auto outcome = pool.channel().WaitForOutcome(run);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->cause, StopCause::kDeadline);
    EXPECT_GE(outcome->facts.wall_us, kSoon.wall_us);
  }
  release->Raise();
  EXPECT_EQ(pool.channel().WaitForCause(3), StopCause::kFinished);
  EXPECT_FALSE(pool.channel().WaitForOutcome(4, kAtOnce).has_value());
}

TEST(Pool, LimitsTooLongForAnyClockNeverFire) {
  OpenPool pool(Options(1));
  RunId run = 0;
  // Up to the largest value that is not "unlimited": as microseconds, and as nanoseconds, too much.
  for (const uint64_t limit :
       {kUnlimited - 1, kUnlimited / 2, kUnlimited / 1000, kUnlimited / 3000}) {
    run += 1;
    pool.Start(run, test::ParksUntilReplied(), {.wall_us = limit, .cpu_us = limit});
    ASSERT_TRUE(pool.WaitUntilParked(1)) << limit;
    pool->Post(run, test::Reply("fine"));
    ASSERT_EQ(pool.channel().WaitForCause(run), StopCause::kFinished) << limit;
  }
}

TEST(Pool, TheCpuBudgetStopsABusyGuest) {
  OpenPool pool(Options(1));
  pool.Start(1, test::BurnsUntilInterrupted(), {.cpu_us = 20000});
  const auto outcome = pool.channel().WaitForOutcome(1);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kCpu);
  EXPECT_GE(outcome->facts.wall_us, 20000U);
}

TEST(Pool, TheCpuBudgetLeavesAParkedGuestAlone) {
  OpenPool pool(Options(1));
  pool.Start(1, test::ParksUntilReplied(), {.cpu_us = 20000});
  ASSERT_TRUE(pool.WaitUntilParked(1));
  // Others use the processor for several times that budget in the meantime.
  for (RunId run = 2; run <= 4; ++run) {
    pool.Start(run, test::BurnsUntilInterrupted(), {.cpu_us = 20000});
    ASSERT_EQ(pool.channel().WaitForCause(run), StopCause::kCpu);
  }
  pool->Post(1, test::Reply("still here"));
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kFinished);
}

TEST(Pool, TheCpuBudgetDoesNotCountTimeSpentWaitingOnTheThread) {
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  OpenPool pool(Options(2));
  pool.Start(1, test::HoldsUntil(release, inside), {.cpu_us = 20000});
  ASSERT_TRUE(inside->Wait());
  for (RunId run = 2; run <= 4; ++run) {
    pool.Start(run, test::BurnsUntilInterrupted(), {.cpu_us = 20000});
    ASSERT_EQ(pool.channel().WaitForCause(run), StopCause::kCpu);
  }
  release->Raise();
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kFinished);
}

TEST(Pool, TheCpuBudgetAddsUpOverTheTurns) {
  OpenPool pool(Options(1));
  std::atomic<size_t> turns{0};
  pool.Start(1,
             [&turns](GuestTurn& turn) -> std::optional<GuestResult> {
               turns = turn.number;
               test::BurnCpu(milliseconds(10));
               return std::nullopt;
             },
             {.cpu_us = 35000});
  ASSERT_TRUE(Eventually([&] {
    pool->Post(1, test::Reply("go on"));
    return pool.channel().WaitForOutcome(1, kAtOnce).has_value();
  }));
  const auto outcome = pool.channel().WaitForOutcome(1);
  EXPECT_EQ(outcome->cause, StopCause::kCpu);
  EXPECT_GE(turns, 3U);
  EXPECT_GE(outcome->facts.cpu_us, 30000U);
}

TEST(Pool, TheOutcomeSaysHowMuchCpuAStuckGuestUsed) {
  OpenPool pool(Options(1));
  std::atomic<bool> is_over{false};
  pool.Start(1,
             [&is_over](GuestTurn& /*turn*/) {
               while (!is_over)
                 continue;  // whatever the interrupts
               return Finished("");
             },
             {.cpu_us = 20000});
  const auto outcome = pool.channel().WaitForOutcome(1);
  is_over = true;
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kCpu);
  EXPECT_GE(outcome->facts.cpu_us, 20000U);
}

TEST(Pool, MakingTheGuestIsNotChargedToItsCpuBudget) {
  OpenPool pool(Options(1), {.on_make = [] { test::BurnCpu(milliseconds(60)); }});
  pool.Start(1, test::Finishes("cheap"), {.cpu_us = 30000});
  const auto outcome = pool.channel().WaitForOutcome(1);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kFinished);
  EXPECT_LT(outcome->facts.cpu_us, 30000U);
}

TEST(Pool, RunningGuestsLookAtTheirMemoryNowAndThen) {
  OpenPool pool({.threads = 1, .warm_target = 0, .sample_interval = milliseconds(1)});
  pool.Start(1, [](GuestTurn& turn) -> std::optional<GuestResult> {
    if (!Eventually([&] { return turn.guest.samples() >= 3; })) return std::nullopt;
    return Finished("sampled");
  });
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kFinished);
  // And again after a time in which nobody ran.
  pool.Start(2, [](GuestTurn& turn) -> std::optional<GuestResult> {
    if (!Eventually([&] { return turn.guest.samples() >= 3; })) return std::nullopt;
    return Finished("sampled");
  });
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
}

TEST(Pool, ARunOverItsCallBudgetIsStoppedByItsGuest) {
  OpenPool pool(Options(1));
  pool.Start(1,
             [](GuestTurn& turn) -> std::optional<GuestResult> {
               CallId call = 0;
               while (turn.ledger.StartCall(0, {}, call) == CallAdmission::kPassed)
                 continue;
               turn.owner.StopGuest(StopCause::kCalls);
               return test::RunsUntilInterrupted()(turn);
             },
             {.calls = 3});
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kCalls);
  EXPECT_EQ(pool.channel().Count(EventKind::kCall), 3U);
}

}  // namespace
}  // namespace isobox
