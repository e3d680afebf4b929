#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "native/core/pool.h"
#include "test/native/fake_guest.h"
#include "test/native/open_pool.h"

// How a pool ends.
namespace isobox {
namespace {

using std::chrono::milliseconds;
using test::Event;
using test::EventKind;
using test::Eventually;
using test::GuestTurn;
using test::OpenPool;
using test::Signal;

constexpr milliseconds kAtOnce{0};

// Without warm guests, so that each test counts only the guests of its runs.
PoolOptions Options(size_t threads) { return {.threads = threads, .warm_target = 0}; }

TEST(Pool, CloseAnswersRunsInEveryState) {
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  OpenPool pool({.threads = 2, .max_running = 5, .warm_target = 1});
  pool.Start(1, test::Parks());
  ASSERT_TRUE(pool.WaitUntilParked(1));
  pool.Start(2, test::HoldsUntil(release, inside));  // stuck
  ASSERT_TRUE(inside->Wait());
  const auto runs = test::NewSignal();
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
  EXPECT_TRUE(pool.WaitUntilLost(1));  // nobody waits for that one
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
  for (RunId run = 1; run <= 20; ++run)
    pool.Start(run, test::Parks());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { pool->Close(); });
  for (std::thread& thread : threads)
    thread.join();
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
  const auto is_answering = test::NewSignal();
  const auto release = test::NewSignal();
  OpenPool pool(Options(2), {.before_event = [=](const Event& event) {
                  if (event.kind != EventKind::kOutcome) return;
                  is_answering->Raise();
                  static_cast<void>(release->Wait());
                }});
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
  const auto is_answering = test::NewSignal();
  const auto let_answer = test::NewSignal();
  OpenPool pool(Options(1), {.before_event = [=](const Event& event) {
                  if (event.kind != EventKind::kOutcome || event.id != 2) return;
                  is_answering->Raise();
                  static_cast<void>(let_answer->Wait());
                }});
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
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
    const auto returns = test::NewSignal();
    const auto channel = std::make_shared<test::RecordingChannel>([=](const Event& event) {
      if (event.kind == EventKind::kOutcome && event.id == kRuns) returns->Raise();
    });
    for (RunId run = 1; run < kRuns; ++run) {
      book->Set(run, run % 3 == 0 ? test::RunsUntilInterrupted() : test::Parks());
    }
    book->Set(kRuns, test::HoldsUntil(returns));  // comes back when its thread is lost
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

}  // namespace
}  // namespace isobox
