#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "native/core/pool.h"
#include "test/native/fake_guest.h"
#include "test/native/open_pool.h"

// What becomes runnable is run at once while a thread sleeps.
namespace isobox {
namespace {

using std::chrono::milliseconds;
using test::Event;
using test::EventKind;
using test::GuestTurn;
using test::OpenPool;

// Makes one call, waits for the reply, and finishes with it.
std::optional<GuestResult> CallsOnce(GuestTurn& turn) {
  if (!turn.messages.empty()) return test::ParksUntilReplied()(turn);
  CallId call = 0;
  EXPECT_EQ(turn.ledger.StartCall(0, {}, call), CallAdmission::kPassed);
  return std::nullopt;
}

// The host of a run that calls starts another run just before it replies. Spinning instead of
// sleeping, so that the reply comes while the caller's thread still lingers.
TEST(Pool, ARunThatItsHostAnswersDoesNotWaitBehindTheRunItsHostHasStarted) {
  constexpr RunId kRounds = 300;
  constexpr RunId kSpinner = 10000;
  std::atomic<RunId> calling{0};
  OpenPool pool({.threads = 2, .warm_target = 0}, {.before_event = [&](const Event& event) {
                  if (event.kind == EventKind::kCall) calling = event.id;
                }});
  for (RunId run = 1; run <= kRounds; ++run) {
    const auto release = test::NewSignal();
    pool.Start(run, CallsOnce);
    while (calling != run)
      continue;
    // By and by the reply comes from within the turn to after the lingering.
    const auto when = std::chrono::steady_clock::now() + std::chrono::microseconds(run % 50);
    while (std::chrono::steady_clock::now() < when)
      continue;
    pool.Start(kSpinner + run, test::HoldsUntil(release));
    pool->Post(run, test::Reply("reply"));
    const StopCause cause = pool.channel().WaitForCause(run, milliseconds(2000));
    release->Raise();
    ASSERT_EQ(cause, StopCause::kFinished) << "in round " << run;
    ASSERT_EQ(pool.channel().WaitForCause(kSpinner + run), StopCause::kFinished);
  }
}

// All threads but one are held, so that whatever is left to a sleeping thread stays undone.
TEST(Pool, GoesOnWithEveryRunWhileOneThreadIsFree) {
  constexpr RunId kHolders = 2;
  constexpr RunId kRuns = 60;
  constexpr RunId kHelper = 10000;
  constexpr size_t kCalls = 12;
  const auto release = test::NewSignal();
  OpenPool pool({.threads = kHolders + 1, .max_running = 24, .warm_target = 1});
  for (RunId run = 1; run <= kHolders; ++run) {
    const auto inside = test::NewSignal();
    pool.Start(run, test::HoldsUntil(release, inside));
    ASSERT_TRUE(inside->Wait());
  }
  // Calls again and again; each reply may come during a turn, while its thread lingers, or later.
  std::atomic<RunId> done{kHolders};
  for (RunId run = kHolders + 1; run <= kHolders + kRuns; ++run) {
    pool.Start(run, [&done](GuestTurn& turn) -> std::optional<GuestResult> {
      CallId call = 0;
      if (turn.number > kCalls) {
        done += 1;
        return test::Finished("");
      }
      turn.ledger.StartCall(0, {}, call);
      return std::nullopt;
    });
  }
  // Two hosts, one of which starts another run before it replies.
  test::OnThreads(2, [&](size_t host) {
    RunId helper = kHelper * (host + 1);
    const auto end = std::chrono::steady_clock::now() + test::kPatience;
    while (done < kHolders + kRuns && std::chrono::steady_clock::now() < end) {
      for (RunId run = kHolders + 1 + host; run <= kHolders + kRuns; run += 2) {
        if (host == 1 && run % 8 == 0) pool.Start(helper++);
        pool->Post(run, test::Reply("reply"));
      }
      std::this_thread::sleep_for(std::chrono::microseconds(helper % 60));
    }
  });
  EXPECT_EQ(done, kHolders + kRuns);
  release->Raise();
}

// The place of a run whose thread is lost goes to one that waits, for which a thread is woken.
TEST(Pool, ARunThatWaitedForAPlaceIsRunByASleepingThread) {
  OpenPool pool({.threads = 2, .max_running = 1, .warm_target = 0, .max_stuck = 0});
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  pool.Start(1, test::HoldsUntil(release, inside));
  ASSERT_TRUE(inside->Wait());
  pool.Start(2);
  pool.Stop(1);
  EXPECT_EQ(pool.channel().WaitForCause(2), StopCause::kFinished);
  release->Raise();
}

}  // namespace
}  // namespace isobox
