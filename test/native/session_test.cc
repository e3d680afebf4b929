#include "native/core/session.h"

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
#include "test/native/session_rig.h"

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
using TurnResult = Session::TurnResult;

constexpr milliseconds kAtOnce{0};

TEST(Session, EndsWhenItsGuestFinishes) {
  Rig rig(test::Finishes("42"));
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  const auto outcome = rig.channel.WaitForOutcome(kRun, kAtOnce);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kFinished);
  EXPECT_EQ(outcome->value.bytes, "42");
  EXPECT_EQ(rig.host.settled, 1);
  EXPECT_EQ(rig.host.last_cause, StopCause::kFinished);
  EXPECT_EQ(rig.host.withdrawn, 0);
  EXPECT_EQ(rig.host.made_runnable, 0);
  EXPECT_EQ(rig.book->alive, 0);
}

TEST(Session, IsWokenOnceByManyMessages) {
  std::vector<std::string> seen;
  Rig rig([&seen](GuestTurn& turn) -> std::optional<GuestResult> {
    for (const GuestMessage& message : turn.messages) {
      seen.push_back(std::get<ReplyMessage>(message).value.bytes);
    }
    if (turn.number == 1) return std::nullopt;
    return Finished("");
  });
  EXPECT_FALSE(rig.session->IsParked());
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  EXPECT_TRUE(rig.session->IsParked());
  rig.session->Post(test::Reply("a"));
  rig.session->Post(test::Reply("b"));
  rig.session->Post(test::Reply("c"));
  EXPECT_FALSE(rig.session->IsParked());
  EXPECT_EQ(rig.host.made_runnable, 1);
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Session, MessagesBeforeTheFirstTurnAreDeliveredWithIt) {
  Rig rig(test::ParksUntilReplied());
  rig.session->Post(test::Reply("early"));
  EXPECT_EQ(rig.host.made_runnable, 0);
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForOutcome(kRun, kAtOnce)->value.bytes, "early");
}

TEST(Session, AMessageDuringTheTurnAsksForAnotherTurn) {
  Session* session = nullptr;
  Rig rig([&session](GuestTurn& turn) -> std::optional<GuestResult> {
    if (turn.number > 1) return test::ParksUntilReplied()(turn);
    session->Post(test::Reply("meanwhile"));
    return std::nullopt;
  });
  session = rig.session.get();
  EXPECT_EQ(rig.Turn(), TurnResult::kAgain);
  EXPECT_EQ(rig.host.made_runnable, 0);
  EXPECT_FALSE(rig.session->IsParked());
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
}

TEST(Session, AStopBeforeTheFirstTurnAnswersAndWithdraws) {
  Rig rig;
  rig.Stop("no longer needed");
  const auto outcome = rig.channel.WaitForOutcome(kRun, kAtOnce);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kTerminated);
  EXPECT_EQ(outcome->reason, "no longer needed");
  EXPECT_EQ(rig.host.withdrawn, 1);
  EXPECT_EQ(rig.host.made_runnable, 0);
  // A worker that had taken it already finds nothing to do.
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.book->made, 0);
}

TEST(Session, AStopWhileParkedAnswersAndAsksForATurnToCleanUp) {
  Rig rig(test::Parks());
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  rig.Stop();
  EXPECT_EQ(rig.channel.WaitForCause(kRun, kAtOnce), StopCause::kTerminated);
  EXPECT_EQ(rig.host.made_runnable, 1);
  EXPECT_FALSE(rig.session->IsParked());
  EXPECT_EQ(rig.book->alive, 1);
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.book->alive, 0);
  EXPECT_EQ(rig.book->turns, 1);
}

TEST(Session, AReplyToALingeringWorkerNeedsNoOtherTurn) {
  Rig rig(test::ParksUntilReplied());
  rig.host.while_lingering = [&rig] { rig.session->Post(test::Reply("at once")); };
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForOutcome(kRun, kAtOnce)->value.bytes, "at once");
  EXPECT_EQ(rig.book->turns, 2);
  EXPECT_EQ(rig.host.made_runnable, 0);
}

TEST(Session, ALingeringWorkerThatOthersWantQueuesTheSessionAgain) {
  Rig rig(test::ParksUntilReplied());
  rig.host.is_wanted_elsewhere = true;
  rig.host.while_lingering = [&rig] { rig.session->Post(test::Reply("in turn")); };
  EXPECT_EQ(rig.Turn(), TurnResult::kAgain);
  EXPECT_EQ(rig.host.made_runnable, 0);
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForOutcome(kRun, kAtOnce)->value.bytes, "in turn");
}

TEST(Session, AStopWhileAWorkerLingersIsCleanedUpByIt) {
  Rig rig(test::Parks());
  rig.host.while_lingering = [&rig] { rig.Stop(); };
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForCause(kRun, kAtOnce), StopCause::kTerminated);
  EXPECT_EQ(rig.host.made_runnable, 0);
  EXPECT_EQ(rig.book->alive, 0);
}

TEST(Session, AStopWhileRunningInterruptsAndLetsTheWorkerAnswer) {
  const auto inside = test::NewSignal();
  Rig rig([=](GuestTurn& turn) {
    inside->Raise();
    return test::RunsUntilInterrupted()(turn);
  });
  TurnThread turn(rig.session);
  ASSERT_TRUE(inside->Wait());
  rig.Stop();
  EXPECT_EQ(turn.Join(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForCause(kRun, kAtOnce), StopCause::kTerminated);
  EXPECT_EQ(rig.host.made_runnable, 0);
  EXPECT_EQ(rig.host.withdrawn, 0);
}

TEST(Session, AGuestMayStopItself) {
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

TEST(Session, AStopWhileTheGuestIsMadeKeepsItFromRunning) {
  Rig rig(test::RunsUntilInterrupted());
  rig.host.before_guest = [&rig] { rig.Stop(); };
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForCause(kRun, kAtOnce), StopCause::kTerminated);
  EXPECT_EQ(rig.book->made, 1);
  EXPECT_EQ(rig.book->turns, 0);
  EXPECT_EQ(rig.book->alive, 0);
}

TEST(Session, OnlyTheFirstStopCounts) {
  Rig rig(test::Parks());
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  rig.session->Stop(StopCause::kDeadline, "first");
  rig.session->Stop(StopCause::kTerminated, "second");
  const auto outcome = rig.channel.WaitForOutcome(kRun, kAtOnce);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kDeadline);
  EXPECT_EQ(outcome->reason, "first");
  EXPECT_EQ(rig.host.made_runnable, 1);
  EXPECT_EQ(rig.host.settled, 1);
}

TEST(Session, MessagesAfterTheStopAreDropped) {
  Rig rig(test::Parks());
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  rig.Stop();
  rig.session->Post(test::Reply("late"));
  EXPECT_EQ(rig.host.made_runnable, 1);
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  rig.session->Post(test::Reply("later"));
  EXPECT_EQ(rig.host.made_runnable, 1);
}

// The thread that stops a run answers its caller; a worker that takes the run then waits for that,
// so that a run has its outcome before its session is forgotten.
TEST(Session, HasItsOutcomeWhenItEnds) {
  const auto is_answering = test::NewSignal();
  const auto release = test::NewSignal();
  test::RecordingChannel channel([=](const test::Event& /*event*/) {
    is_answering->Raise();
    static_cast<void>(release->Wait());
  });
  Rig rig;
  const auto session =
      std::make_shared<Session>(test::Request(kRun), channel, rig.watchdog, rig.host);
  std::thread stopper([&] { session->Stop(StopCause::kTerminated, {}); });
  ASSERT_TRUE(is_answering->Wait());
  std::atomic<size_t> outcomes_at_end{0};
  std::thread worker([&] {
    EXPECT_EQ(session->Turn(std::make_shared<Worker>()), TurnResult::kEnded);
    outcomes_at_end = channel.Count(EventKind::kOutcome);
  });
  release->Raise();
  worker.join();
  stopper.join();
  EXPECT_EQ(outcomes_at_end, 1U);
}

TEST(Session, WritesItsWorkerOffWhenTheGuestDoesNotComeBack) {
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  Rig rig(test::HoldsUntil(release, inside));
  TurnThread turn(rig.session);
  ASSERT_TRUE(inside->Wait());
  const auto start = std::chrono::steady_clock::now();
  rig.Stop("hangs");
  const auto outcome = rig.channel.WaitForOutcome(kRun);
  EXPECT_GE(std::chrono::steady_clock::now() - start, Session::kStopGrace);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kTerminated);
  EXPECT_EQ(outcome->reason, "hangs");
  // The thread is counted as stuck before the caller looks, and the pool told when it has.
  EXPECT_TRUE(Eventually([&] { return rig.host.answered == 1; }));
  EXPECT_EQ(rig.host.written_off, 1);
  EXPECT_EQ(rig.host.written_off_worker, turn.worker());
  EXPECT_EQ(rig.host.settled_before_write_off, 0);
  EXPECT_EQ(rig.host.settled_before_answered, 1);
  release->Raise();
  EXPECT_EQ(turn.Join(), TurnResult::kEnded);
  EXPECT_EQ(rig.host.settled, 1);
  EXPECT_EQ(rig.channel.Count(EventKind::kOutcome), 1U);
}

TEST(Session, AnswersEvenIfTheWorkerComesBackWhileItIsWrittenOff) {
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  Rig rig(test::HoldsUntil(release, inside));
  rig.host.has_worker_come_back = true;
  TurnThread turn(rig.session);
  ASSERT_TRUE(inside->Wait());
  rig.Stop();
  EXPECT_EQ(rig.channel.WaitForCause(kRun), StopCause::kTerminated);
  release->Raise();
  EXPECT_EQ(turn.Join(), TurnResult::kEnded);
  EXPECT_EQ(rig.host.written_off, 1);
  EXPECT_EQ(rig.host.answered, 0);
}

TEST(Session, DoesNotWriteOffAWorkerThatCameBack) {
  const auto inside = test::NewSignal();
  Rig rig([=](GuestTurn& turn) {
    inside->Raise();
    return test::RunsUntilInterrupted()(turn);
  });
  {
    TurnThread turn(rig.session);
    ASSERT_TRUE(inside->Wait());
    rig.Stop();
  }
  const int written_off = rig.host.written_off;  // only if this machine stood still for so long
  // Well after the grace, by the watchdog's own clock.
  test::Signal passed;
  const auto alarm = rig.watchdog.ArmIn(2 * Session::kStopGrace, [&] { passed.Raise(); });
  ASSERT_TRUE(passed.Wait());
  EXPECT_EQ(rig.host.written_off, written_off);
}

TEST(Session, TheDeadlineEndsAParkedRun) {
  Rig rig(test::Parks(), {.wall_us = 20000});
  rig.session->Arm();
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  const auto outcome = rig.channel.WaitForOutcome(kRun);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->cause, StopCause::kDeadline);
  EXPECT_GE(outcome->facts.wall_us, 20000U);
}

TEST(Session, ARunThatWasStoppedBeforeItWasArmedIsNotArmed) {
  Rig rig({}, {.wall_us = 3600000000});
  rig.Stop();
  rig.session->Arm();
  const std::weak_ptr<Session> left = rig.session;
  rig.session.reset();
  EXPECT_TRUE(left.expired());  // an alarm would keep it
}

TEST(Session, LeavesNoAlarmBehind) {
  for (const bool is_stopped : {false, true}) {
    Rig rig(test::ParksUntilReplied(), {.wall_us = 3600000000, .cpu_us = 3600000000});
    rig.session->Arm();
    ASSERT_EQ(rig.Turn(), TurnResult::kParked);
    if (is_stopped) {
      rig.Stop();
    } else {
      rig.session->Post(test::Reply("done"));
    }
    ASSERT_EQ(rig.Turn(), TurnResult::kEnded);
    const std::weak_ptr<Session> left = rig.session;
    rig.session.reset();
    EXPECT_TRUE(left.expired());
  }
}

TEST(Session, TheCpuBudgetIsLookedAtAgainWhileTheGuestWaits) {
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  Rig rig(test::HoldsUntil(release, inside), {.cpu_us = 5000});
  TurnThread turn(rig.session);
  ASSERT_TRUE(inside->Wait());
  // Ten times the budget, by the watchdog's own clock.
  test::Signal passed;
  const auto alarm = rig.watchdog.ArmIn(milliseconds(50), [&] { passed.Raise(); });
  ASSERT_TRUE(passed.Wait());
  release->Raise();
  EXPECT_EQ(turn.Join(), TurnResult::kEnded);
  EXPECT_EQ(rig.channel.WaitForCause(kRun, kAtOnce), StopCause::kFinished);
}

TEST(Session, OnlyARunningGuestIsSampled) {
  Session* session = nullptr;
  std::vector<int> samples;
  Rig rig([&](GuestTurn& turn) -> std::optional<GuestResult> {
    samples.push_back(turn.guest.samples());
    session->Sample();
    samples.push_back(turn.guest.samples());
    if (turn.number == 1) return std::nullopt;
    turn.owner.StopGuest(StopCause::kMemory);
    session->Sample();
    samples.push_back(turn.guest.samples());
    return std::nullopt;
  });
  session = rig.session.get();
  session->Sample();
  ASSERT_EQ(rig.Turn(), TurnResult::kParked);
  session->Sample();
  session->Post(test::Reply("go on"));
  session->Sample();
  ASSERT_EQ(rig.Turn(), TurnResult::kEnded);
  session->Sample();
  EXPECT_EQ(samples, (std::vector<int>{0, 1, 1, 2, 2}));
}

TEST(Session, HasOneOutcomeWhenAStopMeetsTheEndOfATurn) {
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
      const auto worker = std::make_shared<Worker>();
      start.arrive_and_wait();
      result = rig.session->Turn(worker);
      stopper.join();
      if (result != TurnResult::kEnded) {
        ASSERT_EQ(rig.host.made_runnable, result == TurnResult::kParked ? 1 : 0);
        result = rig.session->Turn(worker);
      }
    }
    ASSERT_EQ(result, TurnResult::kEnded);
    ASSERT_EQ(rig.channel.Count(EventKind::kOutcome), 1U);
    ASSERT_EQ(rig.host.settled, 1);
    ASSERT_EQ(rig.book->alive, 0);
    finished += rig.channel.WaitForCause(kRun) == StopCause::kFinished ? 1 : 0;
  }
  EXPECT_LE(finished, kRounds / 2);
}

// A guest whose engine fails for good while it is taken down.
class BreaksWhenDestroyed final : public Guest {
 public:
  ~BreaksWhenDestroyed() override { owner_->AbandonThread(StopCause::kCrashed); }
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

class BreakingHost final : public SessionHost {
 public:
  void MakeRunnable(std::shared_ptr<Session> /*session*/) override {}
  void Withdraw(const std::shared_ptr<Session>& /*session*/) override {}
  std::unique_ptr<Guest> TakeGuest() override { return std::make_unique<BreaksWhenDestroyed>(); }
  void NoteSettled(const SettledFacts& /*facts*/) override {}
  bool WriteOff(const std::shared_ptr<Worker>& worker, const Session& /*session*/) override {
    written_off = worker.get();
    return true;
  }
  bool Linger(const std::atomic<bool>& /*is_parked*/) override { return false; }
  void NoteAnswered() override { has_answered.Raise(); }
  std::atomic<const Worker*> written_off{nullptr};
  test::Signal has_answered;
};

TEST(Session, AThreadMayBeAbandonedWhileTheGuestIsDestroyed) {
  // The thread stays for ever, and so does what it refers to.
  struct Remains {
    test::RecordingChannel channel;
    Watchdog watchdog;
    BreakingHost host;
    std::shared_ptr<Worker> worker = std::make_shared<Worker>();
  };
  static auto* const remains = new Remains;
  auto session = std::make_shared<Session>(test::Request(kRun), remains->channel, remains->watchdog,
                                           remains->host);
  ASSERT_TRUE(remains->worker->thread.TryStart(
      "isobox-test", 1U << 20U, [session] { static_cast<void>(session->Turn(remains->worker)); }));
  remains->worker->thread.Detach();
  ASSERT_TRUE(remains->host.has_answered.Wait());
  EXPECT_EQ(remains->host.written_off, remains->worker.get());
  EXPECT_EQ(remains->channel.WaitForOutcome(kRun, kAtOnce)->value.bytes, "42");
}

}  // namespace
}  // namespace isobox
