#include <gtest/gtest.h>

#include "test/native/process_rig.h"

namespace isobox {
namespace {

using test::EventKind;
using test::ProcessPoolTest;

class ProcessPoolRecyclingTest : public ProcessPoolTest {
 protected:
  size_t Processes() { return pool_->Stats().processes->count; }
};

TEST_F(ProcessPoolRecyclingTest, GivesAProcessSoManyRunsAndThenAnother) {
  Open({.runs_per_process = 2});
  for (RunId run = 1; run <= 6; ++run) {
    Start(run, test::Finishes("1"));
    EXPECT_EQ(CauseOf(run), StopCause::kFinished);
  }
  // The successor of the third is there as well.
  EXPECT_EQ(launched_, 4U);
  EXPECT_TRUE(Until([&] { return pool_->processes() == 1; }));
}

TEST_F(ProcessPoolRecyclingTest, StartsASuccessorBeforeItIsNeeded) {
  Open({.runs_per_process = 16});
  for (RunId run = 1; run <= 13; ++run)
    Start(run, test::Parks());
  EXPECT_EQ(launched_, 1U);
  Start(14, test::Parks());
  EXPECT_EQ(launched_, 2U);
  EXPECT_EQ(Processes(), 2U);
}

TEST_F(ProcessPoolRecyclingTest, LeavesAProcessToItsLastRuns) {
  Open({.runs_per_process = 1});
  Start(1, test::ParksUntilReplied());
  Start(2, test::Finishes("2"));
  EXPECT_EQ(CauseOf(2), StopCause::kFinished);
  ASSERT_TRUE(Until([&] { return pool_->Stats().parked == 1; }));
  pool_->Post(1, test::Reply("1"));
  EXPECT_EQ(CauseOf(1), StopCause::kFinished);
}

TEST_F(ProcessPoolRecyclingTest, HasRunsWaitWhileAllProcessesAreBusyWithTheirLast) {
  Open({.processes = 2, .runs_per_process = 1});
  for (RunId run = 1; run <= 6; ++run)
    Start(run, test::ParksUntilReplied());
  EXPECT_EQ(launched_, 4U);
  ASSERT_TRUE(Until([&] { return pool_->Stats().parked == 4; }));
  EXPECT_EQ(pool_->Stats().queued, 2U);
  for (RunId run = 1; run <= 6; ++run) {
    pool_->Post(run, test::Reply("1"));
    EXPECT_EQ(CauseOf(run), StopCause::kFinished);
    if (run < 3) {
      ASSERT_TRUE(Until([&] { return pool_->Stats().parked == 4; }));
    }
  }
}

TEST_F(ProcessPoolRecyclingTest, AnswersRunsThatWaitForAProcess) {
  Open({.runs_per_process = 1,
        .start_patience = std::chrono::milliseconds(30),
        .grace = std::chrono::milliseconds(20)});
  Start(1, test::Parks());
  Start(2, test::Parks());
  Start(3, test::Parks(), {.wall_us = 1000});
  Start(4, test::Parks());
  Start(5, test::Parks());
  EXPECT_EQ(CauseOf(3), StopCause::kDeadline);
  pool_->Stop(4, StopCause::kTerminated, "enough");
  EXPECT_EQ(CauseOf(4), StopCause::kTerminated);
  pool_->Close();
  EXPECT_EQ(CauseOf(5), StopCause::kDisposed);
}

TEST_F(ProcessPoolRecyclingTest, GivesRunsThatWaitToTheSuccessorOfOneThatCrashed) {
  Open({.runs_per_process = 1});
  Start(1, test::Parks());
  Start(2, test::Parks());
  test::ThreadProcess* const second = last_;
  ASSERT_TRUE(Until([&] { return pool_->Stats().parked == 2; }));
  Start(3, test::Finishes("3"));
  second->Kill();
  EXPECT_EQ(CauseOf(2), StopCause::kCrashed);
  EXPECT_EQ(CauseOf(3), StopCause::kFinished);
  EXPECT_EQ(channel_->Count(EventKind::kOutcome), 2U);
}

TEST_F(ProcessPoolRecyclingTest, AnswersPrewarmRequestsForMoreThanAProcessWillServe) {
  Open({.runs_per_process = 2});
  pool_->Prewarm(9, 5);
  ASSERT_TRUE(Until([&] { return channel_->Count(EventKind::kWarm) == 1; }));
  EXPECT_EQ(book_->made_ahead, 2);
}

}  // namespace
}  // namespace isobox
