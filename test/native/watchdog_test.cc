#include "native/core/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "test/native/fake_guest.h"

namespace isobox {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using test::Signal;

struct StartedWatchdog : Watchdog {
  StartedWatchdog() { EXPECT_TRUE(Start()); }
};

// Arms an alarm behind everything that is due now and waits for it: what should have fired by then
// has fired, as one thread serves the alarms in order.
bool LetDueAlarmsFire(Watchdog& dog) {
  Signal passed;
  const auto alarm = dog.ArmIn(milliseconds(0), [&] { passed.Raise(); });
  return passed.Wait();
}

TEST(Watchdog, FiresWhenTheTimeHasComeAndNotBefore) {
  StartedWatchdog dog;
  Signal fired;
  Watchdog::TimePoint at;
  const auto when = Watchdog::Clock::now() + milliseconds(20);
  const auto alarm = dog.ArmAt(when, [&] {
    at = Watchdog::Clock::now();
    fired.Raise();
  });
  ASSERT_TRUE(fired.Wait());
  EXPECT_GE(at, when);
}

TEST(Watchdog, FiresOnce) {
  StartedWatchdog dog;
  std::atomic<int> fired{0};
  const auto alarm = dog.ArmIn(milliseconds(0), [&] { fired += 1; });
  EXPECT_TRUE(LetDueAlarmsFire(dog));
  EXPECT_TRUE(LetDueAlarmsFire(dog));
  EXPECT_EQ(fired, 1);
}

TEST(Watchdog, FiresInOrderOfTimeAndNotOfArming) {
  StartedWatchdog dog;
  Signal done;
  std::vector<int> order;  // only the watchdog's thread writes it
  const auto start = Watchdog::Clock::now() + milliseconds(30);
  const auto third = dog.ArmAt(start + milliseconds(2), [&] {
    order.push_back(3);
    done.Raise();
  });
  const auto first = dog.ArmAt(start, [&] { order.push_back(1); });
  const auto second = dog.ArmAt(start + milliseconds(1), [&] { order.push_back(2); });
  ASSERT_TRUE(done.Wait());
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(Watchdog, AlarmsForTheSameTimeFireInOrderOfArming) {
  StartedWatchdog dog;
  Signal done;
  std::vector<int> order;
  std::vector<Watchdog::Alarm> alarms;
  const auto when = Watchdog::Clock::now() + milliseconds(20);
  for (int i = 0; i < 50; ++i) {
    alarms.push_back(dog.ArmAt(when, [&, i] {
      order.push_back(i);
      if (i == 49) done.Raise();
    }));
  }
  ASSERT_TRUE(done.Wait());
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(order.at(static_cast<size_t>(i)), i);
}

TEST(Watchdog, AnEarlierAlarmDoesNotWaitForALaterOne) {
  StartedWatchdog dog;
  const auto late = dog.ArmIn(hours(24), [] {});
  Signal fired;
  const auto early = dog.ArmIn(milliseconds(1), [&] { fired.Raise(); });
  EXPECT_TRUE(fired.Wait());
}

TEST(Watchdog, ADisarmedAlarmDoesNotFire) {
  StartedWatchdog dog;
  std::atomic<bool> fired{false};
  const auto when = Watchdog::Clock::now() + milliseconds(50);
  auto alarm = dog.ArmAt(when, [&] { fired = true; });
  alarm.Disarm();
  alarm.Disarm();
  Signal passed;
  const auto later = dog.ArmAt(when + milliseconds(1), [&] { passed.Raise(); });
  ASSERT_TRUE(passed.Wait());
  EXPECT_FALSE(fired);
}

TEST(Watchdog, AnAlarmDisarmsWhenItsScopeEnds) {
  StartedWatchdog dog;
  std::atomic<bool> fired{false};
  const auto when = Watchdog::Clock::now() + milliseconds(50);
  {
    const auto alarm = dog.ArmAt(when, [&] { fired = true; });
  }
  Signal passed;
  const auto later = dog.ArmAt(when + milliseconds(1), [&] { passed.Raise(); });
  ASSERT_TRUE(passed.Wait());
  EXPECT_FALSE(fired);
}

TEST(Watchdog, DisarmingReleasesWhatTheActionOwns) {
  StartedWatchdog dog;
  auto owned = std::make_shared<int>(1);
  auto alarm = dog.ArmIn(hours(24), [owned] {});
  EXPECT_EQ(owned.use_count(), 2);
  alarm.Disarm();
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(Watchdog, AnActionThatHasRunReleasesWhatItOwns) {
  StartedWatchdog dog;
  auto owned = std::make_shared<int>(1);
  Signal fired;
  const auto alarm = dog.ArmIn(milliseconds(0), [owned, &fired] { fired.Raise(); });
  ASSERT_TRUE(fired.Wait());
  EXPECT_TRUE(LetDueAlarmsFire(dog));
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(Watchdog, ArmingAgainReplacesTheAlarm) {
  StartedWatchdog dog;
  std::atomic<bool> old_fired{false};
  Signal new_fired;
  const auto when = Watchdog::Clock::now() + milliseconds(50);
  auto alarm = dog.ArmAt(when, [&] { old_fired = true; });
  alarm = dog.ArmAt(when + milliseconds(1), [&] { new_fired.Raise(); });
  ASSERT_TRUE(new_fired.Wait());
  EXPECT_FALSE(old_fired);
}

TEST(Watchdog, AMovedAlarmStaysArmed) {
  StartedWatchdog dog;
  Signal fired;
  std::optional<Watchdog::Alarm> kept;
  {
    auto alarm = dog.ArmIn(milliseconds(20), [&] { fired.Raise(); });
    kept.emplace(std::move(alarm));
  }
  EXPECT_TRUE(fired.Wait());
}

TEST(Watchdog, AnActionMayArmAndDisarm) {
  StartedWatchdog dog;
  Signal second_fired;
  std::atomic<bool> victim_fired{false};
  auto victim = dog.ArmIn(hours(1), [&] { victim_fired = true; });
  Watchdog::Alarm second;
  const auto first = dog.ArmIn(milliseconds(1), [&] {
    victim.Disarm();
    second = dog.ArmIn(milliseconds(1), [&] { second_fired.Raise(); });
  });
  ASSERT_TRUE(second_fired.Wait());
  EXPECT_FALSE(victim_fired);
}

TEST(Watchdog, DisarmingDoesNotWaitForAnActionThatHasStarted) {
  StartedWatchdog dog;
  Signal started;
  Signal release;
  auto alarm = dog.ArmIn(milliseconds(0), [&] {
    started.Raise();
    static_cast<void>(release.Wait());
  });
  ASSERT_TRUE(started.Wait());
  alarm.Disarm();  // would wait for ever here
  release.Raise();
  EXPECT_TRUE(LetDueAlarmsFire(dog));
}

TEST(Watchdog, FiresWhatWasArmedBeforeItsStart) {
  Watchdog dog;
  Signal fired;
  const auto alarm = dog.ArmIn(milliseconds(0), [&] { fired.Raise(); });
  EXPECT_FALSE(fired.Wait(milliseconds(20)));
  EXPECT_TRUE(dog.Start());
  EXPECT_TRUE(dog.Start());
  EXPECT_TRUE(fired.Wait());
}

TEST(Watchdog, EndsWithoutEverHavingStarted) {
  auto owned = std::make_shared<int>(1);
  {
    Watchdog dog;
    auto alarm = dog.ArmIn(hours(24), [owned] {});
    dog.Close();
    EXPECT_FALSE(dog.Start());
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(Watchdog, EndsPromptlyWithAlarmsOfTheFarFuture) {
  std::atomic<bool> fired{false};
  const auto start = Watchdog::Clock::now();
  {
    StartedWatchdog dog;
    const auto alarm = dog.ArmIn(hours(24), [&] { fired = true; });
  }
  EXPECT_LT(Watchdog::Clock::now() - start, test::kPatience);
  EXPECT_FALSE(fired);
}

TEST(Watchdog, ManyThreadsArmAndDisarmAtOnce) {
  constexpr int kThreads = 4;
  constexpr int kAlarms = 300;
  StartedWatchdog dog;
  std::atomic<int> due_fired{0};
  std::atomic<int> disarmed_fired{0};
  std::vector<std::thread> threads;
  std::vector<std::vector<Watchdog::Alarm>> kept(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < kAlarms; ++n) {
        kept.at(static_cast<size_t>(i)).push_back(dog.ArmIn(std::chrono::microseconds(n * 10), [&] {
          due_fired += 1;
        }));
        auto brief = dog.ArmIn(hours(1), [&] { disarmed_fired += 1; });
        brief.Disarm();
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_TRUE(test::Eventually([&] { return due_fired == kThreads * kAlarms; }));
  EXPECT_EQ(disarmed_fired, 0);
}

}  // namespace
}  // namespace isobox
