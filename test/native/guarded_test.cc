#include "native/core/guarded.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "test/native/fake_guest.h"

namespace isobox {
namespace {

using Clock = std::chrono::steady_clock;

static_assert(!std::is_copy_constructible_v<Guarded<int>>);
static_assert(!std::is_copy_constructible_v<Guarded<int>::Access>);

TEST(Guarded, StartsWithAValueInitializedValue) {
  // On memory that held something else, where an uninitialized value would show.
  alignas(Guarded<int>) std::array<unsigned char, sizeof(Guarded<int>)> memory{};
  memory.fill(0xA5);
  auto* guarded = new (memory.data()) Guarded<int>;
  EXPECT_EQ(*guarded->Lock(), 0);
  guarded->~Guarded<int>();
}

TEST(Guarded, BuildsItsValueInPlace) {
  Guarded<std::string> guarded(std::in_place, 3U, 'x');
  EXPECT_EQ(*guarded.Lock(), "xxx");
  EXPECT_EQ(guarded.Lock()->size(), 3U);
}

TEST(Guarded, LosesNoUpdateUnderContention) {
  constexpr int kThreads = 4;
  constexpr int kUpdates = 5000;
  Guarded<int> counter(std::in_place, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int update = 0; update < kUpdates; ++update)
        *counter.Lock() += 1;
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(*counter.Lock(), kThreads * kUpdates);
}

TEST(Guarded, WaitReleasesTheLockAndTakesItAgain) {
  Guarded<int> stage(std::in_place, 0);
  std::condition_variable changed;
  std::thread answerer([&] {
    auto access = stage.Lock();
    while (*access != 1)
      access.Wait(changed);
    *access = 2;
    changed.notify_all();
  });
  {
    auto access = stage.Lock();
    *access = 1;
    changed.notify_all();
    const auto deadline = Clock::now() + test::kPatience;
    while (*access != 2) {
      ASSERT_EQ(access.WaitUntil(changed, deadline), std::cv_status::no_timeout);
    }
    EXPECT_EQ(*access, 2);
  }
  answerer.join();
}

TEST(Guarded, WaitUntilSaysWhenTheDeadlinePassed) {
  Guarded<int> guarded(std::in_place, 0);
  std::condition_variable never;
  const auto deadline = Clock::now() + std::chrono::milliseconds(10);
  auto access = guarded.Lock();
  while (access.WaitUntil(never, deadline) != std::cv_status::timeout) {
    ASSERT_LT(Clock::now(), deadline + test::kPatience);
  }
  EXPECT_GE(Clock::now(), deadline);
}

}  // namespace
}  // namespace isobox
