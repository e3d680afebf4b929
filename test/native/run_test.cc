#include "native/core/run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "test/native/fake_guest.h"
#include "test/native/run_rig.h"

namespace isobox {
namespace {

using std::chrono::milliseconds;
using test::EventKind;
using test::Eventually;
using test::Finished;
using test::GuestTurn;
using test::kRun;
using test::Rig;
using test::TurnThread;
using TurnResult = isobox::Run::TurnResult;

constexpr milliseconds kAtOnce{0};

TEST(Run, EndsWhenItsGuestFinishes) {
  Rig rig(test::Finishes("42"));
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  const auto outcome = rig.channel.WaitForOutcome(kRun, kAtOnce);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kFinished);
  EXPECT_EQ(outcome->value.bytes, "42");
  EXPECT_EQ(rig.scheduler.settled, 1);
  EXPECT_EQ(rig.scheduler.last_cause, StopCause::kFinished);
  EXPECT_EQ(rig.scheduler.withdrawn, 0);
  EXPECT_EQ(rig.scheduler.made_runnable, 0);
  EXPECT_EQ(rig.book->alive, 0);
}

TEST(Run, IsWokenOnceByManyMessages) {
  std::vector<std::string> seen;
  Rig rig([&seen](GuestTurn& turn) -> std::optional<GuestResult> {
    for (const GuestMessage& message : turn.messages) {
      seen.push_back(std::get<ReplyMessage>(message).value.bytes);
    }
    if (turn.number == 1) return std::nullopt;
    return Finished("");
  });
  EXPECT_FALSE(rig.run->IsParked());
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  EXPECT_TRUE(rig.run->IsParked());
  rig.run->Post(test::Reply("a"));
  rig.run->Post(test::Reply("b"));
  rig.run->Post(test::Reply("c"));
  EXPECT_FALSE(rig.run->IsParked());
  EXPECT_EQ(rig.scheduler.made_runnable, 1);
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Run, MessagesBeforeTheFirstTurnAreDeliveredWithIt) {
  Rig rig(test::ParksUntilReplied());
  rig.run->Post(test::Reply("early"));
  EXPECT_EQ(rig.scheduler.made_runnable, 0);
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForOutcome(kRun, kAtOnce)->value.bytes, "early");
}

TEST(Run, AMessageDuringTheTurnAsksForAnotherTurn) {
  isobox::Run* run = nullptr;
  Rig rig([&run](GuestTurn& turn) -> std::optional<GuestResult> {
    if (turn.number > 1) return test::ParksUntilReplied()(turn);
    run->Post(test::Reply("meanwhile"));
    return std::nullopt;
  });
  run = rig.run.get();
  EXPECT_EQ(rig.Turn(), TurnResult::kAgain);
  EXPECT_EQ(rig.scheduler.made_runnable, 0);
  EXPECT_FALSE(rig.run->IsParked());
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
}

TEST(Run, AStopBeforeTheFirstTurnAnswersAndWithdraws) {
  Rig rig;
  rig.Stop("no longer needed");
  const auto outcome = rig.channel.WaitForOutcome(kRun, kAtOnce);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kTerminated);
  EXPECT_EQ(outcome->reason, "no longer needed");
  EXPECT_EQ(rig.scheduler.withdrawn, 1);
  EXPECT_EQ(rig.scheduler.made_runnable, 0);
  // A worker that had taken it already finds nothing to do.
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.book->made, 0);
}

TEST(Run, AStopWhileParkedAnswersAndAsksForATurnToCleanUp) {
  Rig rig(test::Parks());
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  rig.Stop();
  EXPECT_EQ(rig.channel.WaitForCause(kRun, kAtOnce), StopCause::kTerminated);
  EXPECT_EQ(rig.scheduler.made_runnable, 1);
  EXPECT_FALSE(rig.run->IsParked());
  EXPECT_EQ(rig.book->alive, 1);
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.book->alive, 0);
  EXPECT_EQ(rig.book->turns, 1);
}

TEST(Run, AReplyToALingeringWorkerNeedsNoOtherTurn) {
  Rig rig(test::ParksUntilReplied());
  rig.scheduler.while_lingering = [&rig] { rig.run->Post(test::Reply("at once")); };
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForOutcome(kRun, kAtOnce)->value.bytes, "at once");
  EXPECT_EQ(rig.book->turns, 2);
  EXPECT_EQ(rig.scheduler.made_runnable, 0);
}

TEST(Run, ALingeringWorkerThatOthersWantQueuesTheRunAgain) {
  Rig rig(test::ParksUntilReplied());
  rig.scheduler.is_wanted_elsewhere = true;
  rig.scheduler.while_lingering = [&rig] { rig.run->Post(test::Reply("in turn")); };
  EXPECT_EQ(rig.Turn(), TurnResult::kAgain);
  EXPECT_EQ(rig.scheduler.made_runnable, 0);
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForOutcome(kRun, kAtOnce)->value.bytes, "in turn");
}

TEST(Run, AStopWhileAWorkerLingersIsCleanedUpByIt) {
  Rig rig(test::Parks());
  rig.scheduler.while_lingering = [&rig] { rig.Stop(); };
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForCause(kRun, kAtOnce), StopCause::kTerminated);
  EXPECT_EQ(rig.scheduler.made_runnable, 0);
  EXPECT_EQ(rig.book->alive, 0);
}

TEST(Run, AStopWhileRunningInterruptsAndLetsTheWorkerAnswer) {
  const auto inside = test::NewSignal();
  Rig rig([=](GuestTurn& turn) {
    inside->Raise();
    return test::RunsUntilInterrupted()(turn);
  });
  TurnThread turn(rig.run);
  ASSERT_TRUE(inside->Wait());
  rig.Stop();
  EXPECT_EQ(turn.Join(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForCause(kRun, kAtOnce), StopCause::kTerminated);
  EXPECT_EQ(rig.scheduler.made_runnable, 0);
  EXPECT_EQ(rig.scheduler.withdrawn, 0);
}

TEST(Run, AGuestMayStopItself) {
  Rig rig([](GuestTurn& turn) -> std::optional<GuestResult> {
    turn.owner.StopGuest(StopCause::kMemory);
    EXPECT_TRUE(turn.guest.is_interrupted());
    return Finished("too late");
  });
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  const auto outcome = rig.channel.WaitForOutcome(kRun, kAtOnce);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kMemory);
  EXPECT_EQ(outcome->value.bytes, "");
}

TEST(Run, AStopWhileTheGuestIsMadeKeepsItFromRunning) {
  Rig rig(test::RunsUntilInterrupted());
  rig.scheduler.before_guest = [&rig] { rig.Stop(); };
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForCause(kRun, kAtOnce), StopCause::kTerminated);
  EXPECT_EQ(rig.book->made, 1);
  EXPECT_EQ(rig.book->turns, 0);
  EXPECT_EQ(rig.book->alive, 0);
}

TEST(Run, OnlyTheFirstStopCounts) {
  Rig rig(test::Parks());
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  rig.run->Stop(StopCause::kDeadline, "first");
  rig.run->Stop(StopCause::kTerminated, "second");
  const auto outcome = rig.channel.WaitForOutcome(kRun, kAtOnce);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kDeadline);
  EXPECT_EQ(outcome->reason, "first");
  EXPECT_EQ(rig.scheduler.made_runnable, 1);
  EXPECT_EQ(rig.scheduler.settled, 1);
}

TEST(Run, MessagesAfterTheStopAreDropped) {
  Rig rig(test::Parks());
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  rig.Stop();
  rig.run->Post(test::Reply("late"));
  EXPECT_EQ(rig.scheduler.made_runnable, 1);
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  rig.run->Post(test::Reply("later"));
  EXPECT_EQ(rig.scheduler.made_runnable, 1);
}

// The thread that stops a run answers its caller; a worker that takes the run then waits for that,
// so that a run has its outcome before its run is forgotten.
TEST(Run, HasItsOutcomeWhenItEnds) {
  const auto is_answering = test::NewSignal();
  const auto release = test::NewSignal();
  test::RecordingChannel channel([=](const test::Event& /*event*/) {
    is_answering->Raise();
    static_cast<void>(release->Wait());
  });
  Rig rig;
  const auto run =
      std::make_shared<isobox::Run>(test::Request(kRun), channel, rig.watchdog, rig.scheduler);
  std::thread stopper([&] { run->Stop(StopCause::kTerminated, {}); });
  ASSERT_TRUE(is_answering->Wait());
  std::atomic<size_t> outcomes_at_end{0};
  std::thread worker([&] {
    EXPECT_EQ(run->Turn(std::make_shared<Thread>()), TurnResult::kEnded);
    outcomes_at_end = channel.Count(EventKind::kOutcome);
  });
  release->Raise();
  worker.join();
  stopper.join();
  EXPECT_EQ(outcomes_at_end, 1U);
}

TEST(Run, LosesItsWorkerWhenTheGuestDoesNotComeBack) {
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  Rig rig(test::HoldsUntil(release, inside));
  TurnThread turn(rig.run);
  ASSERT_TRUE(inside->Wait());
  const auto start = std::chrono::steady_clock::now();
  rig.Stop("hangs");
  const auto outcome = rig.channel.WaitForOutcome(kRun);
  EXPECT_GE(std::chrono::steady_clock::now() - start, Run::kStopGrace);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kTerminated);
  EXPECT_EQ(outcome->reason, "hangs");
  // The thread is counted as lost before the caller looks, and the pool told when it has.
  EXPECT_TRUE(Eventually([&] { return rig.scheduler.answered == 1; }));
  EXPECT_EQ(rig.scheduler.lost, 1);
  EXPECT_EQ(rig.scheduler.lost_worker, turn.worker());
  EXPECT_EQ(rig.scheduler.settled_before_loss, 0);
  EXPECT_EQ(rig.scheduler.settled_before_answered, 1);
  release->Raise();
  EXPECT_EQ(turn.Join(), TurnResult::kEnded);
  EXPECT_EQ(rig.scheduler.settled, 1);
  EXPECT_EQ(rig.channel.Count(EventKind::kOutcome), 1U);
}

TEST(Run, AnswersEvenIfTheWorkerComesBackAtThatMoment) {
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  Rig rig(test::HoldsUntil(release, inside));
  rig.scheduler.has_worker_come_back = true;
  TurnThread turn(rig.run);
  ASSERT_TRUE(inside->Wait());
  rig.Stop();
  EXPECT_EQ(rig.channel.WaitForCause(kRun), StopCause::kTerminated);
  release->Raise();
  EXPECT_EQ(turn.Join(), TurnResult::kEnded);
  EXPECT_EQ(rig.scheduler.lost, 1);
  EXPECT_EQ(rig.scheduler.answered, 0);
}

TEST(Run, DoesNotLoseAWorkerThatCameBack) {
  const auto inside = test::NewSignal();
  Rig rig([=](GuestTurn& turn) {
    inside->Raise();
    return test::RunsUntilInterrupted()(turn);
  });
  {
    TurnThread turn(rig.run);
    ASSERT_TRUE(inside->Wait());
    rig.Stop();
  }
  const int lost = rig.scheduler.lost;  // only if this machine stood still for so long
  // Well after the grace, by the watchdog's own clock.
  test::Signal passed;
  const auto alarm = rig.watchdog.ArmIn(2 * Run::kStopGrace, [&] { passed.Raise(); });
  ASSERT_TRUE(passed.Wait());
  EXPECT_EQ(rig.scheduler.lost, lost);
}

TEST(Run, TheDeadlineEndsAParkedRun) {
  Rig rig(test::Parks(), {.wall_us = 20000});
  rig.run->Arm();
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  const auto outcome = rig.channel.WaitForOutcome(kRun);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kDeadline);
  EXPECT_GE(outcome->facts.wall_us, 20000U);
}

TEST(Run, ARunThatWasStoppedBeforeItWasArmedIsNotArmed) {
  Rig rig({}, {.wall_us = 3600000000});
  rig.Stop();
  rig.run->Arm();
  const std::weak_ptr<isobox::Run> left = rig.run;
  rig.run.reset();
  EXPECT_TRUE(left.expired());  // an alarm would keep it
}

TEST(Run, LeavesNoAlarmBehind) {
  for (const bool is_stopped : {false, true}) {
    Rig rig(test::ParksUntilReplied(), {.wall_us = 3600000000, .cpu_us = 3600000000});
    rig.run->Arm();
    ASSERT_EQ(rig.Turn(), TurnResult::kParked);
    if (is_stopped) {
      rig.Stop();
    } else {
      rig.run->Post(test::Reply("done"));
    }
    ASSERT_EQ(rig.Turn(), TurnResult::kEnded);
    const std::weak_ptr<isobox::Run> left = rig.run;
    rig.run.reset();
    EXPECT_TRUE(left.expired());
  }
}

TEST(Run, TheCpuBudgetIsLookedAtAgainWhileTheGuestWaits) {
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  Rig rig(test::HoldsUntil(release, inside), {.cpu_us = 5000});
  TurnThread turn(rig.run);
  ASSERT_TRUE(inside->Wait());
  // Ten times the budget, by the watchdog's own clock.
  test::Signal passed;
  const auto alarm = rig.watchdog.ArmIn(milliseconds(50), [&] { passed.Raise(); });
  ASSERT_TRUE(passed.Wait());
  release->Raise();
  EXPECT_EQ(turn.Join(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForCause(kRun, kAtOnce), StopCause::kFinished);
}

TEST(Run, OnlyARunningGuestIsSampled) {
  isobox::Run* run = nullptr;
  std::vector<int> samples;
  Rig rig([&](GuestTurn& turn) -> std::optional<GuestResult> {
    samples.push_back(turn.guest.samples());
    run->Sample();
    samples.push_back(turn.guest.samples());
    if (turn.number == 1) return std::nullopt;
    turn.owner.StopGuest(StopCause::kMemory);
    run->Sample();
    samples.push_back(turn.guest.samples());
    return std::nullopt;
  });
  run = rig.run.get();
  run->Sample();
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  run->Sample();
  run->Post(test::Reply("go on"));
  run->Sample();
  ASSERT_EQ(rig.Turn(), TurnResult::kEnded);
  run->Sample();
  EXPECT_EQ(samples, (std::vector<int>{0, 1, 1, 2, 2}));
}

TEST(Run, HasOneOutcomeWhenAStopMeetsTheEndOfATurn) {
  constexpr int kRounds = 300;
  int finished = 0;
  for (int round = 0; round < kRounds; ++round) {
    Rig rig(round % 2 == 0 ? test::Finishes("done") : test::Parks());
    std::latch start(2);
    std::thread stopper([&] {
      start.arrive_and_wait();
      rig.Stop();
    });
    TurnResult result = TurnResult::kParked;
    {
      // Turns until it has ended, as a pool would.
      const auto worker = std::make_shared<Thread>();
      start.arrive_and_wait();
      result = rig.run->Turn(worker);
      stopper.join();
      if (result != TurnResult::kEnded) {
        ASSERT_EQ(rig.scheduler.made_runnable, result == TurnResult::kParked ? 1 : 0);
        result = rig.run->Turn(worker);
      }
    }
    ASSERT_EQ(result, TurnResult::kEnded);
    ASSERT_EQ(rig.channel.Count(EventKind::kOutcome), 1U);
    ASSERT_EQ(rig.scheduler.settled, 1);
    ASSERT_EQ(rig.book->alive, 0);
    finished += rig.channel.WaitForCause(kRun) == StopCause::kFinished ? 1 : 0;
  }
  EXPECT_LE(finished, kRounds / 2);
}

// A guest whose engine fails for good while it is taken down.
class BreaksWhenDestroyed final : public Guest {
 public:
  ~BreaksWhenDestroyed() override { owner_->LoseThread(StopCause::kCrashed); }
  void Begin(const RunRequest& /*request*/, RunLedger& /*ledger*/, GuestOwner& owner) override {
    owner_ = &owner;
  }
  std::optional<GuestResult> Turn(std::vector<GuestMessage> /*messages*/) override {
    return Finished("42");
  }
  void Interrupt() override {}
  void Sample() override {}

 private:
  GuestOwner* owner_ = nullptr;
};

class BreakingScheduler final : public RunScheduler {
 public:
  void MakeRunnable(std::shared_ptr<isobox::Run> /*run*/) override {}
  void Withdraw(const std::shared_ptr<isobox::Run>& /*run*/) override {}
  std::unique_ptr<Guest> TakeGuest() override { return std::make_unique<BreaksWhenDestroyed>(); }
  void NoteSettled(const SettledFacts& /*facts*/) override {}
  bool LoseWorker(const std::shared_ptr<Thread>& worker, const isobox::Run& /*run*/) override {
    lost = worker.get();
    return true;
  }
  bool Linger(const std::atomic<bool>& /*is_parked*/) override { return false; }
  void NoteAnswered() override { has_answered.Raise(); }
  std::atomic<const Thread*> lost{nullptr};
  test::Signal has_answered;
};

TEST(Run, AThreadMayBeLostWhileTheGuestIsDestroyed) {
  // The thread stays for ever, and so does what it refers to.
  struct Remains {
    test::RecordingChannel channel;
    Watchdog watchdog;
    BreakingScheduler scheduler;
    std::shared_ptr<Thread> worker = std::make_shared<Thread>();
  };
  static auto* const remains = new Remains;
  auto run = std::make_shared<isobox::Run>(test::Request(kRun), remains->channel, remains->watchdog,
                                           remains->scheduler);
  ASSERT_TRUE(remains->worker->TryStart("isobox-test", 1U << 20U,
                                        [run] { static_cast<void>(run->Turn(remains->worker)); }));
  remains->worker->Detach();
  ASSERT_TRUE(remains->scheduler.has_answered.Wait());
  EXPECT_EQ(remains->scheduler.lost, remains->worker.get());
  EXPECT_EQ(remains->channel.WaitForOutcome(kRun, kAtOnce)->value.bytes, "42");
}

}  // namespace
}  // namespace isobox
