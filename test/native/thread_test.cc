#include "native/core/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <utility>

#include "test/native/fake_guest.h"

namespace isobox {
namespace {

constexpr size_t kStackBytes = 1U << 20U;

TEST(Thread, RunsItsBodyBeforeJoinReturns) {
  std::atomic<bool> has_run{false};
  Thread thread;
  ASSERT_TRUE(thread.TryStart("isobox-test", kStackBytes, [&] { has_run = true; }));
  thread.Join();
  EXPECT_TRUE(has_run);
}

TEST(Thread, JoinAndDetachDoNothingTwiceOrBeforeTheStart) {
  Thread never_started;
  never_started.Join();
  never_started.Detach();

  std::atomic<int> runs{0};
  Thread thread;
  ASSERT_TRUE(thread.TryStart("isobox-test", kStackBytes, [&] { runs += 1; }));
  thread.Join();
  thread.Join();
  thread.Detach();
  EXPECT_EQ(runs, 1);
}

TEST(Thread, ADetachedThreadOutlivesItsObject) {
  auto done = std::make_shared<test::Signal>();
  auto release = std::make_shared<test::Signal>();
  {
    Thread thread;
    ASSERT_TRUE(thread.TryStart("isobox-test", kStackBytes, [done, release] {
      static_cast<void>(release->Wait());
      done->Raise();
    }));
    thread.Detach();
  }
  release->Raise();
  EXPECT_TRUE(done->Wait());
}

TEST(Thread, HasTheStackItWasAskedFor) {
  constexpr size_t kLargeStack = 16U << 20U;
  size_t stack_bytes = 0;
  Thread thread;
  ASSERT_TRUE(thread.TryStart("isobox-test", kLargeStack, [&] {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    pthread_attr_getstacksize(&attributes, &stack_bytes);
    pthread_attr_destroy(&attributes);
  }));
  thread.Join();
  EXPECT_GE(stack_bytes, kLargeStack - (64U << 10U));
}

TEST(Thread, CarriesItsName) {
  std::array<char, 16> name{};
  Thread thread;
  ASSERT_TRUE(thread.TryStart("isobox-test", kStackBytes, [&] {
    pthread_getname_np(pthread_self(), name.data(), name.size());
  }));
  thread.Join();
  EXPECT_EQ(std::string(name.data()), "isobox-test");
}

TEST(Thread, SaysWhenItCannotStart) {
  constexpr size_t kNoRoomForThis = size_t{1} << 50U;
  std::atomic<bool> has_run{false};
  Thread thread;
  EXPECT_FALSE(thread.TryStart("isobox-test", kNoRoomForThis, [&] { has_run = true; }));
  thread.Join();
  EXPECT_FALSE(has_run);
}

TEST(Thread, CpuTimeGrowsWithWorkAndNotWithWaiting) {
  constexpr uint64_t kBurntUs = 20000;
  test::Signal has_burnt;
  test::Signal release;
  Thread thread;
  ASSERT_TRUE(thread.TryStart("isobox-test", kStackBytes, [&] {
    test::BurnCpu(std::chrono::microseconds(kBurntUs));
    has_burnt.Raise();
    static_cast<void>(release.Wait());
  }));
  ASSERT_TRUE(has_burnt.Wait());
  const uint64_t after_work = thread.CpuTimeUs();
  EXPECT_GE(after_work, kBurntUs);

  // Waits about five times as long as the work took, of which its clock must show almost nothing.
  static_cast<void>(std::make_unique<test::Signal>()->Wait(std::chrono::milliseconds(100)));
  const uint64_t after_waiting = thread.CpuTimeUs();
  EXPECT_GE(after_waiting, after_work);
  EXPECT_LT(after_waiting - after_work, kBurntUs);
  release.Raise();
  thread.Join();
}

TEST(Thread, OfLowerPriorityLetsOthersGoFirst) {
  test::Signal running;
  test::Signal release;
  int priority = 0;
  Thread thread;
  ASSERT_TRUE(thread.TryStart("isobox-test", kStackBytes, [&] {
    running.Raise();
    static_cast<void>(release.Wait());
    priority = getpriority(PRIO_PROCESS, 0);  // of the calling thread
  }));
  ASSERT_TRUE(running.Wait());
  thread.LowerPriority();
  release.Raise();
  thread.Join();
  EXPECT_EQ(priority, 19);
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), 0);
}

TEST(Thread, ThisThreadCpuTimeGrowsWithWork) {
  const uint64_t before = ThisThreadCpuTimeUs();
  test::BurnCpu(std::chrono::microseconds(2000));
  EXPECT_GE(ThisThreadCpuTimeUs() - before, 2000U);
}

}  // namespace
}  // namespace isobox
