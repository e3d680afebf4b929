#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "native/core/pool.h"
#include "test/native/fake_guest.h"
#include "test/native/open_pool.h"

// Many threads use one pool at once. What must hold is checked as it runs, and by OpenPool at the
// end: one outcome per run, nothing after it, no guest left, every thread home.
namespace isobox {
namespace {

using std::chrono::milliseconds;
using test::EventKind;
using test::Eventually;
using test::Finished;
using test::GuestTurn;
using test::OpenPool;

constexpr RunId kRuns = 400;
constexpr size_t kThreads = 3;

// Logs and calls until it is told to stop or has done enough.
std::optional<GuestResult> Chatters(GuestTurn& turn) {
  for (const GuestMessage& message : turn.messages) {
    turn.ledger.EndCall(std::get<ReplyMessage>(message).call, true, 1);
  }
  for (int i = 0; i < 5; ++i) {
    CallId call = 0;
    const CallAdmission admission = turn.ledger.StartCall(0, {"argument"}, call);
    if (admission == CallAdmission::kOverBudget) turn.owner.StopGuest(StopCause::kCalls);
    turn.ledger.LogLine(LogLevel::kLog, "line");
    turn.ledger.PostInvoked({});
  }
  if (turn.number < 4) return std::nullopt;
  return Finished("said it all");
}

test::Script ScriptOf(RunId run) {
  switch (run % 5) {
    case 0:
      return test::Finishes("at once");
    case 1:
      return test::ParksUntilReplied();
    case 2:
      return test::RunsUntilInterrupted();
    case 3:
      return test::Parks();
    default:
      return Chatters;
  }
}

RunLimits LimitsOf(RunId run) {
  RunLimits limits{.calls = 12, .log_lines = 10};
  if (run % 7 == 0) limits.wall_us = 500 * (run % 4);
  if (run % 11 == 0) limits.cpu_us = 2000;
  return limits;
}

// The threads that disturb a pool until they are told that it is over.
class Crowd {
 public:
  explicit Crowd(OpenPool& pool) : pool_(pool) {
    for (unsigned seed = 1; seed <= 2; ++seed) {
      Repeat(seed, [this](RunId run) { pool_.Stop(run, "crowd"); });
      Repeat(seed + 10, [this](RunId run) { pool_->Post(run, test::Reply("go", run % 3)); });
    }
    Repeat(20, [this](RunId run) {
      const PoolStats stats = pool_->Stats();
      most_threads_ = std::max(most_threads_.load(), stats.threads);
      most_running_ = std::max(most_running_.load(), stats.running);
      if (run % 16 == 0) pool_->Prewarm(run, run % 4);
    });
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  ~Crowd() {
    is_over_ = true;
    for (std::thread& member : members_)
      member.join();
    EXPECT_LE(most_threads_, kThreads);
    EXPECT_LE(most_running_, kThreads);
  }

 private:
  template <typename Action>
  void Repeat(unsigned seed, Action action) {
    members_.emplace_back([this, seed, action] {
      std::mt19937 random(seed);
      std::uniform_int_distribution<RunId> any(1, kRuns);
      while (!is_over_)
        action(any(random));
    });
  }

  OpenPool& pool_;
  std::atomic<bool> is_over_{false};
  std::atomic<size_t> most_threads_{0};
  std::atomic<size_t> most_running_{0};
  std::vector<std::thread> members_;
};

std::vector<std::thread> StartRuns(OpenPool& pool) {
  std::vector<std::thread> starters;
  for (RunId first = 1; first <= 2; ++first) {
    starters.emplace_back([&pool, first] {
      for (RunId run = first; run <= kRuns; run += 2) {
        pool.Start(run, ScriptOf(run), LimitsOf(run));
      }
    });
  }
  return starters;
}

PoolOptions Crowded() {
  return {.threads = kThreads,
          .max_running = 24,
          .max_queued = 100,
          .warm_target = 2,
          .warm_idle = milliseconds(5),
          .max_stuck = 1000};
}

TEST(Pool, AnswersEveryRunOnceInACrowd) {
  OpenPool pool(Crowded());
  {
    const Crowd crowd(pool);
    for (std::thread& starter : StartRuns(pool))
      starter.join();
    EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kOutcome, kRuns));
  }
  EXPECT_EQ(pool.channel().Count(EventKind::kOutcome), kRuns);
  EXPECT_EQ(pool.channel().LateEvents(), 0U);
  std::array<size_t, kStopCauseCount> seen{};
  for (const test::Event& event : pool.channel().Events()) {
    if (event.kind == EventKind::kOutcome) seen.at(static_cast<size_t>(event.outcome.cause)) += 1;
  }
  EXPECT_EQ(seen.at(static_cast<size_t>(StopCause::kNone)), 0U);
  EXPECT_GT(seen.at(static_cast<size_t>(StopCause::kTerminated)), 0U);
  const auto has_settled = [&] {
    const PoolStats stats = pool->Stats();
    return stats.outcomes == std::array<uint64_t, kStopCauseCount>(seen) && stats.parked == 0 &&
           stats.running == 0 && stats.queued == 0 && stats.stuck == 0;
  };
  EXPECT_TRUE(Eventually(has_settled));
}

TEST(Pool, AnswersEveryRunOnceWhenItIsClosedInACrowd) {
  constexpr size_t kRounds = 6;
  for (size_t round = 0; round < kRounds; ++round) {
    OpenPool pool(Crowded());
    const Crowd crowd(pool);
    std::vector<std::thread> starters = StartRuns(pool);
    // Sooner or later, while runs are still started and those under way are in every state.
    EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kOutcome, kRuns / 2 * round / kRounds));
    std::vector<std::thread> closers;
    for (int i = 0; i < 2; ++i)
      closers.emplace_back([&] { pool->Close(); });
    for (std::thread& closer : closers)
      closer.join();
    EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kClosed, 1));
    for (std::thread& starter : starters)
      starter.join();
    EXPECT_EQ(pool.channel().Count(EventKind::kOutcome), kRuns);
  }
}

// As above, with every run submitted before the end: then PostClosed is the last event.
TEST(Pool, SaysThatItIsClosedLastInACrowd) {
  constexpr size_t kRounds = 6;
  for (size_t round = 0; round < kRounds; ++round) {
    OpenPool pool(Crowded());
    for (std::thread& starter : StartRuns(pool))
      starter.join();
    {
      const Crowd crowd(pool);
      EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kOutcome, kRuns / 2 * round / kRounds));
      pool->Close();
      EXPECT_TRUE(pool.channel().WaitForCount(EventKind::kClosed, 1));
    }
    EXPECT_EQ(pool.channel().Count(EventKind::kOutcome), kRuns);
    EXPECT_EQ(pool.channel().EventsAfterClosed(), 0U);
  }
}

TEST(Pool, ServesManyHonestRunsFromManyThreads) {
  OpenPool pool({.threads = kThreads, .max_running = 50, .warm_target = 1});
  std::vector<std::thread> starters;
  for (RunId first = 1; first <= 4; ++first) {
    starters.emplace_back([&pool, first] {
      for (RunId run = first; run <= kRuns; run += 4) {
        pool.Start(run, test::ParksUntilReplied());
        pool->Post(run, test::Reply(std::to_string(run)));
      }
    });
  }
  for (std::thread& starter : starters)
    starter.join();
  for (RunId run = 1; run <= kRuns; ++run) {
    const auto outcome = pool.channel().WaitForOutcome(run);
    ASSERT_TRUE(outcome.has_value());
    ASSERT_EQ(outcome->cause, StopCause::kFinished);
    ASSERT_EQ(outcome->value.bytes, std::to_string(run));
  }
}

}  // namespace
}  // namespace isobox
