#include "native/core/worker_roster.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "test/native/run_rig.h"

namespace isobox {
namespace {

using Workers = std::vector<std::shared_ptr<Thread>>;

// Notes the threads that a roster wants, and starts none.
WorkerRoster::Starter Noting(Workers& workers) {
  return [&workers](const std::shared_ptr<Thread>& worker) {
    workers.push_back(worker);
    return true;
  };
}

const WorkerRoster::Starter kNoRoom = [](const auto& /*worker*/) { return false; };

class WorkerRosterTest : public testing::Test {
 protected:
  // The thread does not come back from a run.
  void Lose(WorkerRoster& roster, const Thread& worker) {
    roster.BeginTurn(worker, rig_.run);
    EXPECT_TRUE(roster.Lose(worker, *rig_.run, {}));
  }
  test::Rig rig_;
};

TEST_F(WorkerRosterTest, HasAsManyThreadsAsItWasAskedFor) {
  WorkerRoster roster({.threads = 3, .max_stuck = 8, .max_stuck_bytes = kUnlimited});
  Workers workers;
  EXPECT_TRUE(roster.IsExhausted());
  roster.Replenish(Noting(workers));
  roster.Replenish(Noting(workers));
  EXPECT_EQ(workers.size(), 3U);
  EXPECT_EQ(roster.live(), 3U);
  EXPECT_FALSE(roster.IsExhausted());
}

TEST_F(WorkerRosterTest, IsExhaustedWhileTheSystemHasNoRoom) {
  WorkerRoster roster({.threads = 1, .max_stuck = 8, .max_stuck_bytes = kUnlimited});
  roster.Replenish(kNoRoom);
  EXPECT_TRUE(roster.IsExhausted());
  EXPECT_EQ(roster.InTheWay(), 0U);
  Workers workers;
  roster.Replenish(Noting(workers));
  EXPECT_FALSE(roster.IsExhausted());
}

TEST_F(WorkerRosterTest, AThreadThatCameBackIsNotLost) {
  WorkerRoster roster({.threads = 1, .max_stuck = 8, .max_stuck_bytes = kUnlimited});
  Workers workers;
  roster.Replenish(Noting(workers));
  const Thread& worker = *workers.at(0);
  roster.BeginTurn(worker, rig_.run);
  EXPECT_EQ(roster.InTurn().size(), 1U);
  EXPECT_TRUE(roster.EndTurn(worker));
  EXPECT_TRUE(roster.InTurn().empty());
  EXPECT_FALSE(roster.Lose(worker, *rig_.run, {}));
  const test::Rig other;
  roster.BeginTurn(worker, other.run);
  EXPECT_FALSE(roster.Lose(worker, *rig_.run, {}));
  EXPECT_TRUE(roster.EndTurn(worker));
  roster.Remove(worker);
  EXPECT_FALSE(roster.Lose(worker, *rig_.run, {}));
  EXPECT_FALSE(roster.MarkStuck(worker));
}

TEST_F(WorkerRosterTest, ReplacesAsManyLostThreadsAsItMay) {
  WorkerRoster roster({.threads = 2, .max_stuck = 3, .max_stuck_bytes = kUnlimited});
  const size_t lost_before = WorkerRoster::LostInProcess();
  Workers workers;
  roster.Replenish(Noting(workers));
  for (size_t lost = 0; lost < 5; ++lost) {
    ASSERT_LT(lost, workers.size());
    Lose(roster, *workers.at(lost));
    EXPECT_TRUE(roster.IsLost(*workers.at(lost)));
    EXPECT_FALSE(roster.EndTurn(*workers.at(lost)));
    roster.Replenish(Noting(workers));
  }
  EXPECT_EQ(workers.size(), 2U + 3U);
  EXPECT_EQ(roster.live(), 0U);
  EXPECT_EQ(WorkerRoster::LostInProcess(), lost_before + 5);
  // They may come back soon; when all are stuck, there is one thread more, which cleans up.
  EXPECT_FALSE(roster.IsExhausted());
  for (const auto& worker : Workers(workers))
    EXPECT_TRUE(roster.MarkStuck(*worker));
  EXPECT_EQ(roster.stuck(), 5U);
  EXPECT_TRUE(roster.IsExhausted());
  roster.Replenish(Noting(workers));
  roster.Replenish(Noting(workers));
  EXPECT_EQ(workers.size(), 2U + 3U + 1U);
  EXPECT_TRUE(roster.IsExhausted());
  EXPECT_EQ(roster.InTheWay(), 5U);

  // One of them is back: the bound is not reached when another is, too.
  roster.Remove(*workers.at(0));
  roster.Replenish(Noting(workers));
  EXPECT_TRUE(roster.IsExhausted());
  roster.Remove(*workers.at(1));
  roster.Replenish(Noting(workers));
  EXPECT_FALSE(roster.IsExhausted());
  EXPECT_EQ(roster.live(), 2U);
  EXPECT_EQ(workers.size(), 2U + 3U + 2U);
  for (size_t lost = 2; lost < 5; ++lost)
    roster.Remove(*workers.at(lost));
  EXPECT_EQ(WorkerRoster::LostInProcess(), lost_before);
}

TEST_F(WorkerRosterTest, CountsWhatLostGuestsMayHold) {
  const uint64_t limit = rig_.run->memory_limit();
  WorkerRoster roster({.threads = 1, .max_stuck = 8, .max_stuck_bytes = 2 * limit - 1});
  Workers workers;
  for (size_t lost = 0; lost < 2; ++lost) {
    roster.Replenish(Noting(workers));
    ASSERT_EQ(workers.size(), lost + 1);
    Lose(roster, *workers.at(lost));
  }
  roster.Replenish(Noting(workers));
  EXPECT_EQ(workers.size(), 2U);
  EXPECT_EQ(roster.InTheWay(), 2U);
  roster.Remove(*workers.at(0));
  roster.Replenish(Noting(workers));
  EXPECT_EQ(workers.size(), 3U);
  roster.Remove(*workers.at(1));
}

TEST_F(WorkerRosterTest, KeepsOneThreadToCleanUp) {
  WorkerRoster roster({.threads = 2, .max_stuck = 0, .max_stuck_bytes = kUnlimited});
  Workers workers;
  roster.KeepOne(Noting(workers));
  roster.KeepOne(Noting(workers));
  EXPECT_EQ(workers.size(), 1U);
}

}  // namespace
}  // namespace isobox
