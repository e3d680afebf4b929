#include "native/core/pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "test/native/fake_guest.h"
#include "test/native/open_pool.h"

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
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
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
  const auto release = test::NewSignal();
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
  for (RunId run = 1; run <= kRuns; ++run)
    pool.Start(run, test::ParksUntilReplied());
  ASSERT_TRUE(pool.WaitUntilParked(kRuns));
  EXPECT_TRUE(Eventually([&] { return pool->Stats().running == 0; }));
  EXPECT_EQ(pool->Stats().queued, 0U);

  pool.Start(kRuns + 1, test::Finishes("served"));
  EXPECT_EQ(pool.channel().WaitForCause(kRuns + 1), StopCause::kFinished);

  for (RunId run = 1; run <= kRuns; ++run)
    pool->Post(run, test::Reply(std::to_string(run)));
  ASSERT_TRUE(pool.channel().WaitForCount(EventKind::kOutcome, kRuns + 1));
  for (RunId run = 1; run <= kRuns; ++run) {
    ASSERT_EQ(pool.channel().WaitForOutcome(run)->value.bytes, std::to_string(run));
  }
}

TEST(Pool, AMessageThatComesDuringATurnLeadsToAnother) {
  const auto inside = test::NewSignal();
  const auto has_posted = test::NewSignal();
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
  std::vector<std::string> seen;  // one turn at a time, with the run's lock in between
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
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
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
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
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
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
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
  const auto inside = test::NewSignal();
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
  const auto is_making = test::NewSignal();
  const auto release = test::NewSignal();
  OpenPool pool(Options(1), {.on_make = [=] {
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
      for (RunId run = 1; run <= kRuns; ++run)
        pool->Stop(run, cause, std::to_string(i));
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (RunId run = 1; run <= kRuns; ++run) {
    const auto outcome = pool.channel().WaitForOutcome(run);
    ASSERT_TRUE(outcome.has_value());
    // Cause and reason come from the same stop.
    const bool is_even = (outcome->reason.at(0) - '0') % 2 == 0;
    EXPECT_EQ(outcome->cause, is_even ? StopCause::kTerminated : StopCause::kMemory);
  }
}

}  // namespace
}  // namespace isobox
