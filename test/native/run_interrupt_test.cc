#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "native/core/run.h"
#include "test/native/fake_guest.h"
#include "test/native/run_rig.h"

// A stopped guest is interrupted until it is back.
namespace isobox {
namespace {

using test::GuestTurn;
using test::kRun;
using test::Rig;
using test::TurnThread;
using TurnResult = isobox::Run::TurnResult;

// Raises the signal when it is inside, then goes on with the script.
test::Script Entering(std::shared_ptr<test::Signal> inside, test::Script script) {
  return [inside = std::move(inside), script = std::move(script)](GuestTurn& turn) {
    inside->Raise();
    return script(turn);
  };
}

// Well after a time, by the watchdog's own clock.
bool LetPass(Rig& rig, std::chrono::milliseconds time) {
  test::Signal passed;
  const auto alarm = rig.watchdog.ArmIn(time, [&] { passed.Raise(); });
  return passed.Wait();
}

TEST(Run, InterruptsAGuestAgainThatGoesOnAfterAnInterrupt) {
  const auto inside = test::NewSignal();
  Rig rig(Entering(inside, test::UsesUpInterrupts(3)));
  TurnThread turn(rig.run);
  ASSERT_TRUE(inside->Wait());
  const auto start = std::chrono::steady_clock::now();
  rig.Stop();
  EXPECT_EQ(turn.Join(), TurnResult::kEnded);
  // On a machine that stood still for so long its thread would rightly have been lost.
  const bool was_in_time = std::chrono::steady_clock::now() - start < Run::kStopGrace;
  EXPECT_TRUE(rig.scheduler.lost == 0 || !was_in_time);
  EXPECT_EQ(rig.channel.WaitForCause(kRun), StopCause::kTerminated);
}

TEST(Run, GoesOnInterruptingAGuestWhoseThreadIsLost) {
  const auto inside = test::NewSignal();
  std::atomic<int> before_loss{0};
  Rig* the_rig = nullptr;
  Rig rig(Entering(inside, [&](GuestTurn& turn) -> std::optional<GuestResult> {
    EXPECT_TRUE(test::Eventually([&] { return the_rig->scheduler.lost == 1; }));
    before_loss = turn.guest.interrupts();
    return test::UsesUpInterrupts(before_loss + 2)(turn);
  }));
  the_rig = &rig;
  TurnThread turn(rig.run);
  ASSERT_TRUE(inside->Wait());
  rig.Stop();
  EXPECT_EQ(turn.Join(), TurnResult::kEnded);
  EXPECT_GE(before_loss, 1);
  EXPECT_EQ(rig.book->alive, 0);
}

TEST(Run, InterruptsNobodyOnceTheGuestIsBack) {
  const auto inside = test::NewSignal();
  Rig rig(Entering(inside, test::UsesUpInterrupts(2)));
  {
    TurnThread turn(rig.run);
    ASSERT_TRUE(inside->Wait());
    rig.Stop();
  }
  // The guest is gone: an interrupt now would be seen by the sanitizers.
  EXPECT_EQ(rig.book->alive, 0);
  EXPECT_TRUE(LetPass(rig, 3 * Run::kInterruptPause));
  const std::weak_ptr<isobox::Run> left = rig.run;
  rig.run.reset();
  EXPECT_TRUE(test::Eventually([&] { return left.expired(); }));  // an alarm would keep it
}

TEST(Run, InterruptsAGuestThatIsMadeWhileItsRunIsStopped) {
  Rig rig(test::RunsUntilInterrupted());
  rig.scheduler.before_guest = [&rig] {
    rig.Stop();
    EXPECT_TRUE(LetPass(rig, 2 * Run::kInterruptPause));
  };
  EXPECT_EQ(rig.Turn(), TurnResult::kEnded);
  EXPECT_EQ(rig.book->turns, 0);
  EXPECT_EQ(rig.book->alive, 0);
}

TEST(Run, LeavesALostThreadAlone) {
  // The thread stays for ever, and so does what it refers to.
  struct Remains {
    std::atomic<test::FakeGuest*> guest{nullptr};
    const std::shared_ptr<Thread> worker = std::make_shared<Thread>();
    Rig rig{[this](GuestTurn& turn) -> std::optional<GuestResult> {
      guest = &turn.guest;
      turn.owner.StopGuest(StopCause::kMemory);
      return test::LosesItsThread(StopCause::kCrashed)(turn);
    }};
  };
  auto* const remains = new Remains;
  Rig& rig = remains->rig;
  ASSERT_TRUE(remains->worker->TryStart("isobox-test", 1U << 20U, [remains] {
    static_cast<void>(remains->rig.run->Turn(remains->worker));
  }));
  remains->worker->Detach();
  ASSERT_TRUE(test::Eventually([&] { return rig.scheduler.answered == 1; }));
  const int interrupts = remains->guest.load()->interrupts();
  EXPECT_TRUE(LetPass(rig, 3 * Run::kInterruptPause));
  EXPECT_EQ(remains->guest.load()->interrupts(), interrupts);
  EXPECT_EQ(rig.channel.WaitForCause(kRun), StopCause::kMemory);
}

}  // namespace
}  // namespace isobox
