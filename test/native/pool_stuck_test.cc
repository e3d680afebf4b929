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

// Without warm guests, so that each test counts only the guests of its runs; a thread that is
// written off soon counts as stuck.
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
  EXPECT_GE(waited, Session::kStopGrace);
  EXPECT_LT(waited, milliseconds(2000));

  // A replacement serves the others meanwhile.
  pool.Start(2);
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  EXPECT_EQ(pool->Stats().threads, 1U);
  EXPECT_TRUE(pool.WaitUntilStuck(1));

  // It leaves when it comes back after all.
  release->Raise();
  EXPECT_TRUE(pool.WaitUntilStuck(0));
  EXPECT_TRUE(pool.WaitUntilAway(0));
  EXPECT_EQ(pool.book().alive, 0);
  EXPECT_EQ(pool->Stats().threads, 1U);
  pool.Start(3);
  EXPECT_EQ(pool.channel().WaitForCause(3), StopCause::kFinished);
}

TEST(Pool, AThreadIsAwayWhenItsCallerIsAnswered) {
  const size_t away_before = Pool::AwayInProcess();
  std::atomic<size_t> away{0};
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  OpenPool pool(Options(1), {.before_event = [&](const Event& event) {
                  if (event.kind == EventKind::kOutcome) away = Pool::AwayInProcess();
                }});
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Stop(1);
  ASSERT_EQ(pool.channel().WaitForCause(1), StopCause::kTerminated);
  EXPECT_EQ(away, away_before + 1);
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
  EXPECT_TRUE(pool.WaitUntilAway(1));
  EXPECT_EQ(pool->Stats().stuck, 0U);
  release->Raise();
  EXPECT_TRUE(pool.WaitUntilAway(0));
  EXPECT_EQ(pool->Stats().stuck, 0U);
}

TEST(Pool, AThreadThatIsGivenUpLetsOthersGoFirst) {
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
    ASSERT_TRUE(pool.WaitUntilAway(0));
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
  // On a machine that stood still for so long it would rightly have been written off.
  const bool was_in_time = std::chrono::steady_clock::now() - start < Session::kStopGrace;
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
  EXPECT_TRUE(pool.WaitUntilAway(1));
  release->Raise();
  EXPECT_TRUE(pool.WaitUntilAway(0));
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
  ASSERT_TRUE(pool.WaitUntilAway(1));
  release->Raise();
  ASSERT_TRUE(pool.WaitUntilAway(0));
  EXPECT_EQ(pool.channel().Events().size(), 2U);  // the early call and the outcome
}

// Fills a pool with guests that do not come back until it takes no more.
class Exhaustion {
 public:
  explicit Exhaustion(OpenPool& pool) : pool_(pool) {}
  // The number of threads it took.
  size_t Bring() {
    return Bring([this](size_t count) { return pool_.WaitUntilStuck(count); });
  }
  // `wait` returns when so many threads are lost.
  template <typename Wait>
  size_t Bring(Wait wait) {
    for (RunId run = kFirst; run < kFirst + 100; ++run) {
      const auto inside = test::NewSignal();
      pool_.Start(run, test::HoldsUntil(release_, inside));
      if (pool_.channel().WaitForCause(run, kAtOnce) == StopCause::kExhausted) return run - kFirst;
      EXPECT_TRUE(inside->Wait());
      pool_.Stop(run);
      EXPECT_EQ(pool_.channel().WaitForCause(run), StopCause::kTerminated);
      EXPECT_TRUE(wait(run - kFirst + 1));
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
  const size_t stuck = exhaustion.Bring();
  EXPECT_GT(stuck, 3U);
  EXPECT_LE(stuck, 3U + 1U + 2U);  // the one that is too many, and the threads left by then
  EXPECT_EQ(pool->Stats().threads, 0U);
  EXPECT_EQ(pool->Stats().stuck, stuck);
  pool.Start(1);
  EXPECT_EQ(pool.channel().WaitForCause(1, kAtOnce), StopCause::kExhausted);

  exhaustion.Relieve();
  ASSERT_TRUE(pool.WaitUntilStuck(0));
  pool.Start(2);
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  EXPECT_TRUE(Eventually([&] { return pool->Stats().threads == 2; }));
}

TEST(Pool, BoundsItsThreadsBeforeTheLateOnesAreKnownAsStuck) {
  OpenPool pool({.threads = 1, .warm_target = 0, .max_stuck = 1, .stuck_after = kNever});
  Exhaustion exhaustion(pool);
  const size_t away = exhaustion.Bring([&](size_t count) { return pool.WaitUntilAway(count); });
  EXPECT_GT(away, 1U);
  EXPECT_LE(away, 10U);
  exhaustion.Relieve();
  ASSERT_TRUE(pool.WaitUntilAway(0));
  pool.Start(1);
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kFinished);
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
  release->Raise();
  ASSERT_TRUE(pool.WaitUntilAway(0));
  // The guest of the parked run is disposed of as soon as there is a thread again.
  EXPECT_TRUE(Eventually([&] { return pool.book().alive == 0; }, milliseconds(5000)));
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

// The guest comes back at the very moment at which its thread is given up.
TEST(Pool, KeepsCountWhenAThreadComesBackWhileItIsWrittenOff) {
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
    if (!pool.WaitUntilAway(0)) break;
  }
  is_over = true;
  watcher.join();
  EXPECT_TRUE(pool.WaitUntilAway(0));
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
    // All threads are written off at about the same time, while others start runs.
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
    ASSERT_TRUE(pool.WaitUntilAway(0));
    ASSERT_TRUE(Eventually([&] { return pool->Stats().threads >= kThreads; }));
    ASSERT_EQ(pool->Stats().threads, kThreads);
  }
}

}  // namespace
}  // namespace isobox
