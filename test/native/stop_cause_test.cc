#include "native/core/stop_cause.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <latch>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

namespace isobox {
namespace {

constexpr auto kLast = static_cast<uint8_t>(StopCause::kCrashed);

TEST(StopCause, EachCauseHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (uint8_t cause = 0; cause <= kLast; ++cause) {
    names.insert(StopCauseName(static_cast<StopCause>(cause)));
  }
  EXPECT_EQ(names.size(), kLast + 1U);
  EXPECT_FALSE(names.contains(""));
}

TEST(StopCause, NamesAreTheDocumentedOnes) {
  EXPECT_EQ(StopCauseName(StopCause::kFinished), "finished");
  EXPECT_EQ(StopCauseName(StopCause::kGuestError), "guest_error");
  EXPECT_EQ(StopCauseName(StopCause::kDeadline), "deadline");
  EXPECT_EQ(StopCauseName(StopCause::kQueueFull), "queue_full");
  EXPECT_EQ(StopCauseName(StopCause::kDisposed), "disposed");
}

TEST(StopLatch, StartsUntripped) {
  const StopLatch latch;
  EXPECT_FALSE(latch.tripped());
  EXPECT_EQ(latch.cause(), StopCause::kNone);
}

TEST(StopLatch, KeepsTheFirstCause) {
  StopLatch latch;
  EXPECT_TRUE(latch.Trip(StopCause::kDeadline));
  EXPECT_FALSE(latch.Trip(StopCause::kMemory));
  EXPECT_FALSE(latch.Trip(StopCause::kDeadline));
  EXPECT_TRUE(latch.tripped());
  EXPECT_EQ(latch.cause(), StopCause::kDeadline);
}

TEST(StopLatch, HasOneWinnerUnderContention) {
  constexpr size_t kThreads = 8;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    StopLatch latch;
    std::latch start(kThreads);
    std::array<std::atomic<bool>, kThreads> won{};
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        won.at(i) = latch.Trip(static_cast<StopCause>(i + 1));
      });
    }
    for (std::thread& thread : threads)
      thread.join();

    size_t winners = 0;
    for (size_t i = 0; i < kThreads; ++i) {
      if (!won.at(i)) continue;
      winners += 1;
      EXPECT_EQ(latch.cause(), static_cast<StopCause>(i + 1));
    }
    ASSERT_EQ(winners, 1U);
  }
}

TEST(StopCause, TellsStopsFromEndsOfTheirOwn) {
  for (const StopCause own : {StopCause::kFinished, StopCause::kGuestError, StopCause::kLinkError,
                              StopCause::kSerialization, StopCause::kOutput}) {
    EXPECT_FALSE(WasStopped(own)) << StopCauseName(own);
  }
  for (const StopCause stop : {StopCause::kDeadline, StopCause::kTerminated, StopCause::kCrashed}) {
    EXPECT_TRUE(WasStopped(stop)) << StopCauseName(stop);
  }
}

}  // namespace
}  // namespace isobox
