#include "native/core/pool.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "test/native/fake_guest.h"
#include "test/native/open_pool.h"

namespace isobox {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using test::Event;
using test::EventKind;
using test::Eventually;
using test::Finished;
using test::GuestTurn;
using test::OpenPool;
using test::Signal;

constexpr milliseconds kAtOnce{0};

// Without warm guests, so that each test counts only the guests of its runs.
PoolOptions Options(size_t threads) { return {.threads = threads, .warm_target = 0}; }

std::shared_ptr<Signal> NewSignal() { return std::make_shared<Signal>(); }

TEST(Pool, AnswersARunThatFinishes) {
  OpenPool pool(Options(1));
  pool.Start(1, test::Finishes("42"));
  const auto outcome = pool.channel().WaitForOutcome(1);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kFinished);
  EXPECT_EQ(outcome->value.bytes, "42");
  EXPECT_GE(outcome->facts.wall_us, outcome->facts.queued_us);
}

TEST(Pool, CountsWhatItDid) {
  OpenPool pool(Options(2));
  pool.Start(1, [](GuestTurn& turn) {
    CallId call = 0;
    turn.ledger.StartCall(1, {"12345"}, call);
    return Finished("");
  });
  pool.Start(2, test::Parks());
  ASSERT_TRUE(pool.channel().WaitForOutcome(1));
  ASSERT_TRUE(pool.WaitUntilParked(1));
  pool.Stop(2);
  const auto has_counted = [&] {
    const PoolStats stats = pool->Stats();
    return stats.outcomes.at(static_cast<size_t>(StopCause::kFinished)) == 1 &&
           stats.outcomes.at(static_cast<size_t>(StopCause::kTerminated)) == 1;
  };
  ASSERT_TRUE(Eventually(has_counted));
  const PoolStats stats = pool->Stats();
  EXPECT_EQ(stats.threads, 2U);
  EXPECT_EQ(stats.calls, 1U);
  EXPECT_EQ(stats.call_bytes, 5U);
  EXPECT_EQ(stats.stuck, 0U);
  EXPECT_GT(stats.latency_p50_us, 0U);
  EXPECT_LE(stats.latency_p50_us, stats.latency_p95_us);
  EXPECT_LE(stats.latency_p95_us, stats.latency_p99_us);
}

TEST(Pool, ServesFirstComeFirstServed) {
  constexpr RunId kRuns = 50;
  const auto release = NewSignal();
  const auto inside = NewSignal();
  OpenPool pool(Options(1));
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  std::vector<RunId> order;  // only the one worker writes it
  std::vector<RunId> expected;
  for (RunId run = 2; run <= kRuns; ++run) {
    expected.push_back(run);
    pool.Start(run, [&order](GuestTurn& turn) {
      order.push_back(turn.request.id);
      return Finished("");
    });
  }
  release->Raise();
  ASSERT_TRUE(pool.channel().WaitForCount(EventKind::kOutcome, kRuns));
  EXPECT_EQ(order, expected);
}

TEST(Pool, ServesThoseWhoWaitForAPlaceInOrder) {
  constexpr RunId kRuns = 30;
  const auto release = NewSignal();
  OpenPool pool({.threads = 1, .max_running = 1, .warm_target = 0});
  std::vector<RunId> order;
  std::vector<RunId> expected;
  for (RunId run = 1; run <= kRuns; ++run) {
    expected.push_back(run);
    pool.Start(run, [&order, release](GuestTurn& turn) {
      static_cast<void>(release->Wait());
      order.push_back(turn.request.id);
      return Finished("");
    });
  }
  release->Raise();
  ASSERT_TRUE(pool.channel().WaitForCount(EventKind::kOutcome, kRuns));
  EXPECT_EQ(order, expected);
}

TEST(Pool, ParkedGuestsHoldNoThread) {
  constexpr RunId kRuns = 1000;
  OpenPool pool(Options(2));
  for (RunId run = 1; run <= kRuns; ++run) pool.Start(run, test::ParksUntilReplied());
  ASSERT_TRUE(pool.WaitUntilParked(kRuns));
  EXPECT_EQ(pool->Stats().running, 0U);
  EXPECT_EQ(pool->Stats().queued, 0U);

  pool.Start(kRuns + 1, test::Finishes("served"));
  EXPECT_EQ(pool.channel().WaitForCause(kRuns + 1), StopCause::kFinished);

  for (RunId run = 1; run <= kRuns; ++run) pool->Post(run, test::Reply(std::to_string(run)));
  ASSERT_TRUE(pool.channel().WaitForCount(EventKind::kOutcome, kRuns + 1));
  for (RunId run = 1; run <= kRuns; ++run) {
    ASSERT_EQ(pool.channel().WaitForOutcome(run)->value.bytes, std::to_string(run));
  }
}

TEST(Pool, AMessageThatComesDuringATurnLeadsToAnother) {
  const auto inside = NewSignal();
  const auto has_posted = NewSignal();
  OpenPool pool(Options(1));
  pool.Start(1, [=](GuestTurn& turn) -> std::optional<GuestResult> {
    if (turn.number == 2) return test::ParksUntilReplied()(turn);
    inside->Raise();
    static_cast<void>(has_posted->Wait());
    return std::nullopt;
  });
  ASSERT_TRUE(inside->Wait());
  pool->Post(1, test::Reply("again"));
  has_posted->Raise();
  EXPECT_EQ(pool.channel().WaitForOutcome(1).value_or(RunOutcome{}).value.bytes, "again");
}

TEST(Pool, DeliversMessagesInOrder) {
  constexpr int kMessages = 200;
  OpenPool pool(Options(2));
  std::vector<std::string> seen;  // one turn at a time, with the session's lock in between
  pool.Start(1, [&seen](GuestTurn& turn) -> std::optional<GuestResult> {
    for (const GuestMessage& message : turn.messages) {
      seen.push_back(std::get<ReplyMessage>(message).value.bytes);
    }
    if (seen.size() < kMessages) return std::nullopt;
    return Finished("all");
  });
  std::vector<std::string> sent;
  for (int i = 0; i < kMessages; ++i) {
    sent.push_back(std::to_string(i));
    pool->Post(1, test::Reply(sent.back()));
  }
  ASSERT_EQ(pool.channel().WaitForCause(1), StopCause::kFinished);
  EXPECT_EQ(seen, sent);
}

TEST(Pool, RefusesAtOnceWhenTheQueueIsFull) {
  const auto release = NewSignal();
  const auto inside = NewSignal();
  OpenPool pool({.threads = 1, .max_running = 1, .max_queued = 1, .warm_target = 0});
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Start(2);
  pool.Start(3);
  EXPECT_EQ(pool.channel().WaitForCause(3, kAtOnce), StopCause::kQueueFull);
  EXPECT_FALSE(pool.channel().WaitForOutcome(2, kAtOnce).has_value());
  release->Raise();
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kFinished);
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  EXPECT_EQ(pool.book().made, 2);
}

TEST(Pool, WithdrawsARunThatIsStoppedWhileItWaits) {
  const auto release = NewSignal();
  const auto inside = NewSignal();
  OpenPool pool({.threads = 1, .max_running = 1, .max_queued = 1, .warm_target = 0});
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Start(2);
  pool.Stop(2, "changed my mind");
  const auto outcome = pool.channel().WaitForOutcome(2, kAtOnce);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kTerminated);
  EXPECT_EQ(outcome->reason, "changed my mind");

  pool.Start(3);  // into the place that became free
  release->Raise();
  EXPECT_EQ(pool.channel().WaitForCause(3), StopCause::kFinished);
  EXPECT_EQ(pool.book().begun, 2);
}

TEST(Pool, AnswersAtOnceWhenStoppedBeforeTheFirstTurn) {
  const auto release = NewSignal();
  const auto inside = NewSignal();
  OpenPool pool(Options(1));
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Start(2);  // has its place, but no thread
  pool.Stop(2);
  EXPECT_EQ(pool.channel().WaitForCause(2, kAtOnce), StopCause::kTerminated);
  release->Raise();
  pool.Start(3);
  EXPECT_EQ(pool.channel().WaitForCause(3), StopCause::kFinished);
  EXPECT_EQ(pool.book().begun, 2);
}

TEST(Pool, StopsAParkedGuestAtOnceAndDisposesOfIt) {
  OpenPool pool(Options(1));
  pool.Start(1, test::Parks());
  ASSERT_TRUE(pool.WaitUntilParked(1));
  pool.Stop(1, "enough");
  const auto outcome = pool.channel().WaitForOutcome(1, kAtOnce);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kTerminated);
  EXPECT_EQ(outcome->reason, "enough");
  EXPECT_TRUE(Eventually([&] { return pool.book().alive == 0; }));
  EXPECT_EQ(pool.book().turns, 1);
}

TEST(Pool, InterruptsARunningGuest) {
  const auto inside = NewSignal();
  OpenPool pool(Options(1));
  pool.Start(1, [=](GuestTurn& turn) {
    inside->Raise();
    return test::RunsUntilInterrupted()(turn);
  });
  ASSERT_TRUE(inside->Wait());
  pool.Stop(1);
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kTerminated);
  EXPECT_TRUE(Eventually([&] { return pool.book().alive == 0; }));
}

// The guest does not exist yet when it is stopped, so nobody can interrupt it.
TEST(Pool, AGuestStoppedWhileItIsMadeNeverRuns) {
  const auto is_making = NewSignal();
  const auto release = NewSignal();
  OpenPool pool(Options(1), {.before_event = {}, .on_make = [=] {
                               is_making->Raise();
                               static_cast<void>(release->Wait());
                             }});
  pool.Start(1, test::RunsUntilInterrupted());
  ASSERT_TRUE(is_making->Wait());
  pool.Stop(1);
  release->Raise();
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kTerminated);
  EXPECT_TRUE(Eventually([&] { return pool.book().made == 1 && pool.book().alive == 0; },
                         milliseconds(5000)));
  EXPECT_EQ(pool.book().turns, 0);
}

TEST(Pool, IgnoresMessagesAndStopsForRunsThatAreNotThere) {
  OpenPool pool(Options(1));
  pool.Start(1);
  ASSERT_EQ(pool.channel().WaitForCause(1), StopCause::kFinished);
  ASSERT_TRUE(Eventually([&] { return pool.book().alive == 0; }));
  pool->Post(1, test::Reply("late"));
  pool.Stop(1);
  pool->Post(999, test::Reply("unknown"));
  pool.Stop(999);
  pool.Start(2);
  ASSERT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  EXPECT_EQ(pool.channel().Events().size(), 2U);
}

TEST(Pool, TheOutcomeBelongsToTheFirstStop) {
  constexpr int kThreads = 6;
  constexpr RunId kRuns = 30;
  OpenPool pool(Options(2));
  for (RunId run = 1; run <= kRuns; ++run) {
    pool.Start(run, run % 2 == 0 ? test::Parks() : test::RunsUntilInterrupted());
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const StopCause cause = i % 2 == 0 ? StopCause::kTerminated : StopCause::kMemory;
      for (RunId run = 1; run <= kRuns; ++run) pool->Stop(run, cause, std::to_string(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (RunId run = 1; run <= kRuns; ++run) {
    const auto outcome = pool.channel().WaitForOutcome(run);
    ASSERT_TRUE(outcome.has_value());
    // Cause and reason come from the same stop.
    const bool is_even = (outcome->reason.at(0) - '0') % 2 == 0;
    EXPECT_EQ(outcome->cause, is_even ? StopCause::kTerminated : StopCause::kMemory);
  }
}

// Limits.

TEST(Pool, TheDeadlineEndsARunInEveryState) {
  constexpr RunLimits kSoon{.wall_us = 30000};
  const auto release = NewSignal();
  const auto inside = NewSignal();
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
  for (const uint64_t limit : {kUnlimited - 1, kUnlimited / 2, kUnlimited / 1000, kUnlimited / 3000}) {
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
  const auto release = NewSignal();
  const auto inside = NewSignal();
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
  pool.Start(
      1,
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

TEST(Pool, MakingTheGuestIsNotChargedToItsCpuBudget) {
  OpenPool pool(Options(1), {.before_event = {}, .on_make = [] { test::BurnCpu(milliseconds(60)); }});
  pool.Start(1, test::Finishes("cheap"), {.cpu_us = 30000});
  const auto outcome = pool.channel().WaitForOutcome(1);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kFinished);
  EXPECT_LT(outcome->facts.cpu_us, 30000U);
}

TEST(Pool, ARunOverItsCallBudgetIsStoppedByItsGuest) {
  OpenPool pool(Options(1));
  pool.Start(
      1,
      [](GuestTurn& turn) -> std::optional<GuestResult> {
        CallId call = 0;
        while (turn.ledger.StartCall(0, {}, call) == CallAdmission::kSent) continue;
        turn.owner.StopGuest(StopCause::kCalls);
        return test::RunsUntilInterrupted()(turn);
      },
      {.calls = 3});
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kCalls);
  EXPECT_EQ(pool.channel().Count(EventKind::kCall), 3U);
}

// Threads that do not come back.

TEST(Pool, AnswersTheCallerWhenTheThreadNeverComesBack) {
  const auto release = NewSignal();
  const auto inside = NewSignal();
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
  PoolStats stats = pool->Stats();
  EXPECT_EQ(stats.stuck, 1U);
  EXPECT_EQ(stats.threads, 1U);

  release->Raise();
  EXPECT_TRUE(pool.WaitUntilStuck(0));
  EXPECT_TRUE(Eventually([&] { return pool.book().alive == 0; }));
  stats = pool->Stats();
  EXPECT_EQ(stats.threads, 1U);
  EXPECT_EQ(stats.running, 0U);
  pool.Start(3);
  EXPECT_EQ(pool.channel().WaitForCause(3), StopCause::kFinished);
}

TEST(Pool, AGuestThatComesBackInTimeKeepsItsThread) {
  const auto inside = NewSignal();
  OpenPool pool(Options(1));
  std::thread::id first;
  pool.Start(1, [&first, inside](GuestTurn& turn) {
    first = std::this_thread::get_id();
    inside->Raise();
    return test::RunsUntilInterrupted()(turn);
  });
  ASSERT_TRUE(inside->Wait());
  pool.Stop(1);
  ASSERT_EQ(pool.channel().WaitForCause(1), StopCause::kTerminated);
  std::thread::id second;
  pool.Start(2, [&second](GuestTurn& /*turn*/) {
    second = std::this_thread::get_id();
    return Finished("");
  });
  ASSERT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  EXPECT_EQ(first, second);
}

TEST(Pool, AStuckRunGivesItsPlaceToTheNext) {
  const auto release = NewSignal();
  const auto inside = NewSignal();
  OpenPool pool({.threads = 1, .max_running = 1, .warm_target = 0});
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Start(2);  // waits for a place
  pool.Stop(1);
  EXPECT_EQ(pool.channel().WaitForCause(2, milliseconds(5000)), StopCause::kFinished);
  EXPECT_EQ(pool->StuckThreads(), 1U);
  release->Raise();
  EXPECT_TRUE(pool.WaitUntilStuck(0));
  // The place was given away once, not twice.
  const auto again = NewSignal();
  const auto inside_again = NewSignal();
  pool.Start(3, test::HoldsUntil(again, inside_again));
  ASSERT_TRUE(inside_again->Wait());
  pool.Start(4);
  EXPECT_EQ(pool->Stats().queued, 1U);
  again->Raise();
  EXPECT_EQ(pool.channel().WaitForCause(4), StopCause::kFinished);
}

TEST(Pool, AStuckGuestHasNoVoiceAfterItsOutcome) {
  const auto release = NewSignal();
  const auto inside = NewSignal();
  OpenPool pool(Options(1));
  RunRequest request = test::Request(1);
  pool.Start(1, [=](GuestTurn& turn) -> std::optional<GuestResult> {
    CallId call = 0;
    EXPECT_EQ(turn.ledger.StartCall(0, {"early"}, call), CallAdmission::kSent);
    inside->Raise();
    static_cast<void>(release->Wait());
    CallId late = 0;
    EXPECT_EQ(turn.ledger.StartCall(0, {"late"}, late), CallAdmission::kEnded);
    EXPECT_FALSE(turn.ledger.EndCall(call, true, 10));
    EXPECT_FALSE(turn.ledger.WantsLogs());
    turn.ledger.LogLine(LogLevel::kLog, "late");
    turn.ledger.PostInvoked({});
    turn.owner.StopGuest(StopCause::kMemory);
    return Finished("late");
  });
  ASSERT_TRUE(inside->Wait());
  pool.Stop(1);
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kTerminated);
  ASSERT_TRUE(pool.WaitUntilStuck(1));
  release->Raise();
  ASSERT_TRUE(pool.WaitUntilStuck(0));
  EXPECT_EQ(pool.channel().Events().size(), 2U);  // the early call and the outcome
}

TEST(Pool, OutlivesAGuestThatAbandonsItsThread) {
  OpenPool pool({.threads = 1, .max_running = 1, .warm_target = 0});
  pool.ExpectAbandonedThread();
  pool.Start(1, test::AbandonsItsThread(StopCause::kCrashed));
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kCrashed);
  pool.Start(2);
  EXPECT_EQ(pool.channel().WaitForCause(2, milliseconds(5000)), StopCause::kFinished);
  EXPECT_EQ(pool->StuckThreads(), 1U);
  EXPECT_EQ(pool->Stats().threads, 1U);
}

TEST(Pool, AnAbandonedThreadKeepsTheCauseOfAnEarlierStop) {
  const auto inside = NewSignal();
  const auto release = NewSignal();
  OpenPool pool(Options(1));
  pool.ExpectAbandonedThread();
  pool.Start(1, [=](GuestTurn& turn) {
    inside->Raise();
    static_cast<void>(release->Wait());
    return test::AbandonsItsThread(StopCause::kCrashed)(turn);
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

// Fills a pool with guests that do not come back until it takes no more.
class Exhaustion {
 public:
  explicit Exhaustion(OpenPool& pool) : pool_(pool) {}
  // The number of threads it took.
  size_t Bring() {
    for (RunId run = kFirst; run < kFirst + 100; ++run) {
      const auto inside = NewSignal();
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
  const std::shared_ptr<Signal> release_ = NewSignal();
};

TEST(Pool, RefusesRunsOnceTooManyThreadsAreStuckAndRecovers) {
  OpenPool pool({.threads = 2, .warm_target = 0, .max_stuck = 3});
  Exhaustion exhaustion(pool);
  const size_t stuck = exhaustion.Bring();
  EXPECT_GT(stuck, 3U);
  EXPECT_LE(stuck, 3U + 2U);
  EXPECT_EQ(pool->Stats().threads, 0U);
  EXPECT_EQ(pool->StuckThreads(), stuck);
  pool.Start(1);
  EXPECT_EQ(pool.channel().WaitForCause(1, kAtOnce), StopCause::kExhausted);

  exhaustion.Relieve();
  ASSERT_TRUE(pool.WaitUntilStuck(0));
  pool.Start(2);
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  EXPECT_TRUE(Eventually([&] { return pool->Stats().threads == 2; }));
}

TEST(Pool, AnswersOpenRunsWhenNoThreadIsLeft) {
  OpenPool pool({.threads = 1, .max_running = 2, .warm_target = 0, .max_stuck = 0});
  pool.Start(1, test::Parks());
  ASSERT_TRUE(pool.WaitUntilParked(1));
  const auto release = NewSignal();
  const auto inside = NewSignal();
  pool.Start(2, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Start(3);  // waits for a place
  pool.Stop(2);
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kExhausted);
  // The stuck run's place may have come to this one just before.
  EXPECT_EQ(pool.channel().WaitForCause(3), StopCause::kExhausted);
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kTerminated);
  release->Raise();
  ASSERT_TRUE(pool.WaitUntilStuck(0));
  // The guest of the parked run is disposed of as soon as there is a thread again.
  EXPECT_TRUE(Eventually([&] { return pool.book().alive == 0; }, milliseconds(5000)));
}

TEST(Pool, AnswersPrewarmRequestsWhenNoThreadIsLeft) {
  const auto is_making = NewSignal();
  OpenPool pool({.threads = 1, .warm_target = 0, .max_stuck = 0});
  const auto release = NewSignal();
  const auto inside = NewSignal();
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool->Prewarm(5, 1);
  pool.Stop(1);
  EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kWarm, 1, milliseconds(5000)));
  release->Raise();
}

TEST(Pool, HasItsThreadsBackWhenTheStuckOnesReturn) {
  OpenPool pool({.threads = 2, .warm_target = 0, .max_stuck = 0});
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
  OpenPool pool(Options(2), {.before_event =
                                 [&](const Event& event) {
                                   if (event.kind != EventKind::kOutcome) return;
                                   auto table = releases.Lock();
                                   const auto place = table->find(event.id);
                                   if (place != table->end()) place->second->Raise();
                                 },
                             .on_make = {}});
  // Parked runs make the statistics slow, and the statistics keep the pool's lock busy.
  for (RunId run = 1; run <= kParked; ++run) pool.Start(10000 + run, test::Parks());
  ASSERT_TRUE(pool.WaitUntilParked(kParked));
  std::atomic<bool> is_over{false};
  std::atomic<size_t> most_running{0};
  std::thread watcher([&] {
    while (!is_over) most_running = std::max(most_running.load(), pool->Stats().running);
  });
  for (RunId run = 1; run <= kRounds; ++run) {
    const auto release = NewSignal();
    const auto inside = NewSignal();
    (*releases.Lock())[run] = release;
    pool.Start(run, test::HoldsUntil(release, inside));
    ASSERT_TRUE(inside->Wait());
    pool.Stop(run);
    ASSERT_EQ(pool.channel().WaitForCause(run), StopCause::kTerminated);
    if (!pool.WaitUntilStuck(0)) break;
  }
  is_over = true;
  watcher.join();
  EXPECT_EQ(pool->StuckThreads(), 0U);
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
    const auto release = NewSignal();
    std::vector<RunId> stuck;
    for (size_t i = 0; i < kThreads; ++i) {
      const auto inside = NewSignal();
      stuck.push_back(next);
      pool.Start(next++, test::HoldsUntil(release, inside));
      ASSERT_TRUE(inside->Wait());
    }
    for (const RunId run : stuck) pool.Stop(run);
    std::vector<std::thread> starters;
    for (RunId i = 0; i < 3; ++i) {
      starters.emplace_back([&pool, first = next + i * 100] {
        for (RunId run = first; run < first + 50; ++run) pool.Start(run);
      });
    }
    next += 300;
    for (std::thread& starter : starters) starter.join();
    for (const RunId run : stuck) ASSERT_EQ(pool.channel().WaitForCause(run), StopCause::kTerminated);
    release->Raise();
    ASSERT_TRUE(pool.WaitUntilStuck(0));
    ASSERT_TRUE(Eventually([&] { return pool->Stats().threads >= kThreads; }));
    ASSERT_EQ(pool->Stats().threads, kThreads);
  }
}

// Closing.

TEST(Pool, CloseAnswersRunsInEveryState) {
  const auto release = NewSignal();
  const auto inside = NewSignal();
  OpenPool pool({.threads = 2, .max_running = 5, .warm_target = 1});
  pool.Start(1, test::Parks());
  ASSERT_TRUE(pool.WaitUntilParked(1));
  pool.Start(2, test::HoldsUntil(release, inside));  // stuck
  ASSERT_TRUE(inside->Wait());
  const auto runs = NewSignal();
  pool.Start(3, [=](GuestTurn& turn) {
    runs->Raise();
    return test::RunsUntilInterrupted()(turn);
  });
  ASSERT_TRUE(runs->Wait());
  pool.Start(4);  // has a place, but no thread
  pool.Start(5);
  pool.Start(6);  // waits for a place
  pool->Prewarm(1, 100);

  pool->Close();
  for (RunId run = 1; run <= 6; ++run) {
    EXPECT_EQ(pool.channel().WaitForCause(run), StopCause::kDisposed) << run;
  }
  EXPECT_EQ(pool.channel().Count(EventKind::kWarm), 1U);
  EXPECT_TRUE(pool->WaitUntilClosed(test::kPatience));
  EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kClosed, 1));
  EXPECT_EQ(pool->StuckThreads(), 1U);  // nobody waits for that one
  release->Raise();
}

TEST(Pool, CloseOfAnIdlePoolSendsTheThreadsHome) {
  OpenPool pool(Options(3));
  pool->Close();
  EXPECT_TRUE(pool->WaitUntilClosed(test::kPatience));
  EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kClosed, 1));
  EXPECT_EQ(pool->Stats().threads, 0U);
}

TEST(Pool, CloseIsIdempotentFromManyThreads) {
  OpenPool pool(Options(2));
  for (RunId run = 1; run <= 20; ++run) pool.Start(run, test::Parks());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { pool->Close(); });
  for (std::thread& thread : threads) thread.join();
  pool->Close();
  EXPECT_TRUE(pool->WaitUntilClosed(test::kPatience));
  EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kClosed, 1));
  EXPECT_EQ(pool.channel().Count(EventKind::kClosed), 1U);
}

TEST(Pool, AClosedPoolRefusesRuns) {
  OpenPool pool(Options(1));
  pool->Close();
  ASSERT_TRUE(pool.channel().WaitForCount(EventKind::kClosed, 1));
  pool.Start(1);
  EXPECT_EQ(pool.channel().WaitForCause(1, kAtOnce), StopCause::kDisposed);
}

TEST(Pool, WaitUntilClosedGivesUpInTime) {
  OpenPool pool(Options(1));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(pool->WaitUntilClosed(milliseconds(20)));
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(20));
}

// A stop from another thread has answered the caller, but not yet handed the guest over to be
// disposed of.
TEST(Pool, DoesNotCloseBeforeAStopUnderWayIsThrough) {
  const auto is_answering = NewSignal();
  const auto release = NewSignal();
  OpenPool pool(Options(2), {.before_event =
                                 [=](const Event& event) {
                                   if (event.kind != EventKind::kOutcome) return;
                                   is_answering->Raise();
                                   static_cast<void>(release->Wait());
                                 },
                             .on_make = {}});
  pool.Start(1, test::Parks());
  ASSERT_TRUE(pool.WaitUntilParked(1));
  std::thread stopper([&] { pool.Stop(1); });
  ASSERT_TRUE(is_answering->Wait());
  pool->Close();
  EXPECT_FALSE(pool->WaitUntilClosed(milliseconds(50)));
  release->Raise();
  stopper.join();
  EXPECT_TRUE(pool->WaitUntilClosed(test::kPatience));
  EXPECT_EQ(pool.book().alive, 0);
}

// A run is stopped by another thread when a worker has taken it, but not begun with it.
TEST(Pool, SaysThatItIsClosedAfterTheLastOutcome) {
  const auto is_answering = NewSignal();
  const auto let_answer = NewSignal();
  OpenPool pool(Options(1), {.before_event =
                                 [=](const Event& event) {
                                   if (event.kind != EventKind::kOutcome || event.id != 2) return;
                                   is_answering->Raise();
                                   static_cast<void>(let_answer->Wait());
                                 },
                             .on_make = {}});
  const auto release = NewSignal();
  const auto inside = NewSignal();
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Start(2);
  std::thread stopper([&] { pool.Stop(2); });
  ASSERT_TRUE(is_answering->Wait());
  release->Raise();
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kFinished);
  pool->Close();
  EXPECT_FALSE(pool.channel().WaitForCount(EventKind::kClosed, 1, milliseconds(50)));
  let_answer->Raise();
  stopper.join();
  EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kClosed, 1));
  EXPECT_EQ(pool.channel().Events().back().kind, EventKind::kClosed);
}

TEST(Pool, MayBeDroppedAsSoonAsItIsClosed) {
  constexpr int kRounds = 40;
  constexpr RunId kRuns = 12;
  for (int round = 0; round < kRounds; ++round) {
    const auto book = std::make_shared<test::ScriptBook>();
    const auto returns = NewSignal();
    const auto channel = std::make_shared<test::RecordingChannel>([=](const Event& event) {
      if (event.kind == EventKind::kOutcome && event.id == kRuns) returns->Raise();
    });
    for (RunId run = 1; run < kRuns; ++run) {
      book->Set(run, run % 3 == 0 ? test::RunsUntilInterrupted() : test::Parks());
    }
    book->Set(kRuns, test::HoldsUntil(returns));  // comes back when it is written off
    auto pool = Pool::Create({.threads = 2, .warm_target = 1}, book->Factory(), channel);
    std::weak_ptr<Pool> left = pool;
    for (RunId run = 1; run <= kRuns; ++run) {
      pool->Start(test::Request(run, {.wall_us = run * 200 + static_cast<uint64_t>(round) * 50}));
    }
    if (round % 2 == 0) {
      ASSERT_TRUE(channel->WaitForCount(EventKind::kOutcome, kRuns / 2));
    }
    pool->Close();
    pool.reset();
    ASSERT_TRUE(channel->WaitForCount(EventKind::kClosed, 1));
    ASSERT_TRUE(Eventually([&] { return left.expired(); }));
    ASSERT_EQ(channel->Count(EventKind::kOutcome), kRuns);
    ASSERT_EQ(channel->Count(EventKind::kClosed), 1U);
    ASSERT_EQ(channel->LateEvents(), 0U);
    ASSERT_EQ(channel->EventsAfterClosed(), 0U);
    ASSERT_EQ(book->alive, 0);
    ASSERT_EQ(book->violations, 0);
  }
}

// Warm guests.

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
  const auto release = NewSignal();
  const auto is_making = NewSignal();
  OpenPool pool(Options(1), {.before_event = {}, .on_make = [=] {
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
  EXPECT_EQ(pool.book().begun, 3);
  pool.Start(4);
  ASSERT_EQ(pool.channel().WaitForCause(4), StopCause::kFinished);
  EXPECT_EQ(pool.book().made, 4);
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
  OpenPool pool({.threads = 2, .warm_target = 2, .warm_idle = milliseconds(100)});
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
  const auto release = NewSignal();
  std::atomic<int> making{0};
  std::atomic<bool> is_blocking{true};
  OpenPool pool({.threads = 2, .warm_target = 2}, {.before_event = {}, .on_make = [&] {
                                                      // Only the first is slow.
                                                      if (making++ > 0) return;
                                                      static_cast<void>(release->Wait());
                                                    }});
  ASSERT_TRUE(Eventually([&] { return making > 0; }));
  pool.Start(1);
  EXPECT_EQ(pool.channel().WaitForCause(1), StopCause::kFinished);
  release->Raise();
}

}  // namespace
}  // namespace isobox
