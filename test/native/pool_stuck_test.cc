#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "native/core/pool.h"
#include "test/native/fake_guest.h"
#include "test/native/open_pool.h"

// A pool whose threads do not come back.
namespace isobox {
namespace {

using std::chrono::milliseconds;
using test::Event;
using test::EventKind;
using test::Eventually;
using test::Finished;
using test::GuestTurn;
using test::OpenPool;
using test::Signal;

constexpr milliseconds kAtOnce{0};

constexpr milliseconds kSoon{1};
constexpr milliseconds kNever{3600000};

// Without warm guests, so that each test counts only the guests of its runs; a thread that is lost
// soon counts as stuck.
PoolOptions Options(size_t threads) {
  return {.threads = threads, .warm_target = 0, .stuck_after = kSoon};
}

TEST(Pool, AnswersTheCallerWhenTheThreadNeverComesBack) {
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  OpenPool pool(Options(1));
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  const auto start = std::chrono::steady_clock::now();
  pool.Stop(1, "hangs");
  const auto outcome = pool.channel().WaitForOutcome(1);
  const auto waited = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kTerminated);
  EXPECT_EQ(outcome->reason, "hangs");
  EXPECT_GE(waited, Run::kStopGrace);
  EXPECT_LT(waited, milliseconds(2000));

  // A replacement serves the others meanwhile.
  pool.Start(2);
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  EXPECT_EQ(pool->Stats().threads, 1U);
  EXPECT_TRUE(pool.WaitUntilStuck(1));

  // It leaves when it comes back after all.
  release->Raise();
  EXPECT_TRUE(pool.WaitUntilStuck(0));
  EXPECT_TRUE(pool.WaitUntilLost(0));
  EXPECT_EQ(pool.book().alive, 0);
  EXPECT_EQ(pool->Stats().threads, 1U);
  pool.Start(3);
  EXPECT_EQ(pool.channel().WaitForCause(3), StopCause::kFinished);
}

TEST(Pool, AThreadIsLostWhenItsCallerIsAnswered) {
  const size_t lost_before = WorkerRoster::LostInProcess();
  std::atomic<size_t> lost{0};
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  OpenPool pool(Options(1), {.before_event = [&](const Event& event) {
                  if (event.kind == EventKind::kOutcome) lost = WorkerRoster::LostInProcess();
                }});
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Stop(1);
  ASSERT_EQ(pool.channel().WaitForCause(1), StopCause::kTerminated);
  EXPECT_EQ(lost, lost_before + 1);
  release->Raise();
}

TEST(Pool, AThreadThatIsOnlyLateIsNotStuck) {
  OpenPool pool({.threads = 1, .warm_target = 0, .stuck_after = kNever});
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Stop(1);
  ASSERT_EQ(pool.channel().WaitForCause(1), StopCause::kTerminated);
  EXPECT_TRUE(pool.WaitUntilLost(1));
  EXPECT_EQ(pool->Stats().stuck, 0U);
  release->Raise();
  EXPECT_TRUE(pool.WaitUntilLost(0));
  EXPECT_EQ(pool->Stats().stuck, 0U);
}

TEST(Pool, ALostThreadLetsOthersGoFirst) {
  for (const bool is_closed : {false, true}) {
    const auto release = test::NewSignal();
    const auto inside = test::NewSignal();
    std::atomic<int> priority{-1};
    OpenPool pool({.threads = 1, .warm_target = 0, .stuck_after = milliseconds(100)});
    pool.Start(1, [&, release, inside](GuestTurn& turn) {
      const auto result = test::HoldsUntil(release, inside)(turn);
      priority = getpriority(PRIO_PROCESS, 0);
      return result;
    });
    ASSERT_TRUE(inside->Wait());
    if (is_closed) {
      pool->Close();
      ASSERT_TRUE(pool->WaitUntilClosed(test::kPatience));
    } else {
      pool.Stop(1);
    }
    EXPECT_TRUE(Eventually([&] { return pool->Stats().stuck == 1; }, milliseconds(5000)));
    release->Raise();
    ASSERT_TRUE(pool.WaitUntilLost(0));
    EXPECT_EQ(priority, 19);
  }
}

TEST(Pool, AGuestThatComesBackInTimeKeepsItsThread) {
  const auto inside = test::NewSignal();
  OpenPool pool(Options(1));
  std::thread::id first;
  pool.Start(1, [&first, inside](GuestTurn& turn) {
    first = std::this_thread::get_id();
    inside->Raise();
    return test::RunsUntilInterrupted()(turn);
  });
  ASSERT_TRUE(inside->Wait());
  const auto start = std::chrono::steady_clock::now();
  pool.Stop(1);
  ASSERT_EQ(pool.channel().WaitForCause(1), StopCause::kTerminated);
  // On a machine that stood still for so long it would rightly have been lost.
  const bool was_in_time = std::chrono::steady_clock::now() - start < Run::kStopGrace;
  std::thread::id second;
  pool.Start(2, [&second](GuestTurn& /*turn*/) {
    second = std::this_thread::get_id();
    return Finished("");
  });
  ASSERT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  EXPECT_TRUE(first == second || !was_in_time);
}

TEST(Pool, AStuckRunGivesItsPlaceToTheNext) {
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  OpenPool pool({.threads = 1, .max_running = 1, .warm_target = 0, .stuck_after = kSoon});
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Start(2);  // waits for a place
  pool.Stop(1);
  EXPECT_EQ(pool.channel().WaitForCause(2, milliseconds(5000)), StopCause::kFinished);
  EXPECT_TRUE(pool.WaitUntilLost(1));
  release->Raise();
  EXPECT_TRUE(pool.WaitUntilLost(0));
  // The place was given away once, not twice.
  const auto again = test::NewSignal();
  const auto inside_again = test::NewSignal();
  pool.Start(3, test::HoldsUntil(again, inside_again));
  ASSERT_TRUE(inside_again->Wait());
  pool.Start(4);
  EXPECT_EQ(pool->Stats().queued, 1U);
  again->Raise();
  EXPECT_EQ(pool.channel().WaitForCause(4), StopCause::kFinished);
}

TEST(Pool, AStuckGuestHasNoVoiceAfterItsOutcome) {
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  OpenPool pool(Options(1));
  pool.Start(1, [=](GuestTurn& turn) -> std::optional<GuestResult> {
    CallId call = 0;
    EXPECT_EQ(turn.ledger.StartCall(0, {"early"}, call), CallAdmission::kPassed);
    inside->Raise();
    static_cast<void>(release->Wait());
    CallId late = 0;
    EXPECT_EQ(turn.ledger.StartCall(0, {"late"}, late), CallAdmission::kEnded);
    EXPECT_EQ(turn.ledger.EndCall(call, true, 10), CallAdmission::kEnded);
    EXPECT_FALSE(turn.ledger.WantsLogs());
    turn.ledger.LogLine(LogLevel::kLog, "late");
    turn.ledger.PostInvoked({});
    turn.owner.StopGuest(StopCause::kMemory);
    return Finished("late");
  });
  ASSERT_TRUE(inside->Wait());
  pool.Stop(1);
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kTerminated);
  ASSERT_TRUE(pool.WaitUntilLost(1));
  release->Raise();
  ASSERT_TRUE(pool.WaitUntilLost(0));
  EXPECT_EQ(pool.channel().Events().size(), 2U);  // the early call and the outcome
}

// The guest comes back at the very moment at which its thread is lost.
TEST(Pool, KeepsCountWhenAThreadComesBackWhileItIsLost) {
  constexpr RunId kRounds = 60;
  constexpr RunId kParked = 300;
  Guarded<std::map<RunId, std::shared_ptr<Signal>>> releases;
  OpenPool pool(Options(2), {.before_event = [&](const Event& event) {
                  if (event.kind != EventKind::kOutcome) return;
                  auto table = releases.Lock();
                  const auto place = table->find(event.id);
                  if (place != table->end()) place->second->Raise();
                }});
  // Parked runs make the statistics slow, and the statistics keep the pool's lock busy.
  for (RunId run = 1; run <= kParked; ++run)
    pool.Start(10000 + run, test::Parks());
  ASSERT_TRUE(pool.WaitUntilParked(kParked));
  std::atomic<bool> is_over{false};
  std::atomic<size_t> most_running{0};
  std::thread watcher([&] {
    while (!is_over)
      most_running = std::max(most_running.load(), pool->Stats().running);
  });
  for (RunId run = 1; run <= kRounds; ++run) {
    const auto release = test::NewSignal();
    const auto inside = test::NewSignal();
    (*releases.Lock())[run] = release;
    pool.Start(run, test::HoldsUntil(release, inside));
    ASSERT_TRUE(inside->Wait());
    pool.Stop(run);
    ASSERT_EQ(pool.channel().WaitForCause(run), StopCause::kTerminated);
    if (!pool.WaitUntilLost(0)) break;
  }
  is_over = true;
  watcher.join();
  EXPECT_TRUE(pool.WaitUntilLost(0));
  EXPECT_EQ(pool->Stats().stuck, 0U);
  EXPECT_LE(most_running, 2U);
  EXPECT_EQ(pool->Stats().threads, 2U);
  EXPECT_EQ(pool->Stats().running, 0U);
}

TEST(Pool, NeverHasMoreThreadsThanItWasAskedFor) {
  constexpr size_t kThreads = 3;
  constexpr int kRounds = 10;
  OpenPool pool({.threads = kThreads, .warm_target = 0, .max_stuck = 100});
  RunId next = 1;
  for (int round = 0; round < kRounds; ++round) {
    // All threads are lost at about the same time, while others start runs.
    const auto release = test::NewSignal();
    std::vector<RunId> stuck;
    for (size_t i = 0; i < kThreads; ++i) {
      const auto inside = test::NewSignal();
      stuck.push_back(next);
      pool.Start(next++, test::HoldsUntil(release, inside));
      ASSERT_TRUE(inside->Wait());
    }
    for (const RunId run : stuck)
      pool.Stop(run);
    std::vector<std::thread> starters;
    for (RunId i = 0; i < 3; ++i) {
      starters.emplace_back([&pool, first = next + i * 100] {
        for (RunId run = first; run < first + 50; ++run)
          pool.Start(run);
      });
    }
    next += 300;
    for (std::thread& starter : starters)
      starter.join();
    for (const RunId run : stuck)
      ASSERT_EQ(pool.channel().WaitForCause(run), StopCause::kTerminated);
    release->Raise();
    ASSERT_TRUE(pool.WaitUntilLost(0));
    ASSERT_TRUE(Eventually([&] { return pool->Stats().threads >= kThreads; }));
    ASSERT_EQ(pool->Stats().threads, kThreads);
  }
}

}  // namespace
}  // namespace isobox
