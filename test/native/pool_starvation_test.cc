#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <utility>

#include "native/core/pool.h"
#include "test/native/fake_guest.h"

// A pool on a system that has no room for its threads. In a child process, as the limit is the
// process's, and as earlier threads would have left stacks behind to be used again.
namespace isobox {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kNeedsTheAddressSpace = true;
#else
constexpr bool kNeedsTheAddressSpace = false;
#endif

// Leaves room for small things, but not for the stack of a worker.
class AddressSpaceLimit {
 public:
  AddressSpaceLimit() {
    getrlimit(RLIMIT_AS, &before_);
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur =
        pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + Pool::kWorkerStackBytes / 2;
    setrlimit(RLIMIT_AS, &limit);
  }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

// Closes the pool, waits until nothing of it is left, and ends the process.
[[noreturn]] void EndWith(std::shared_ptr<Pool> pool) {
  pool->Close();
  EXPECT_TRUE(pool->WaitUntilClosed(test::kPatience));
  const std::weak_ptr<Pool> left = pool;
  pool.reset();
  EXPECT_TRUE(test::Eventually([&] { return left.expired(); }));
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

void ServeWithoutRoomAndWithRoom() {
  const auto book = std::make_shared<test::ScriptBook>();
  const auto channel = std::make_shared<test::RecordingChannel>();
  std::shared_ptr<Pool> pool;
  {
    const AddressSpaceLimit limit;
    pool = Pool::Create({.threads = 2, .warm_target = 0}, book->Factory(), channel);
    EXPECT_EQ(pool->Stats().threads, 0U);
    pool->Start(test::Request(1));
    EXPECT_EQ(channel->WaitForCause(1, std::chrono::milliseconds(0)), StopCause::kExhausted);
    pool->Prewarm(9, 1);
    EXPECT_EQ(channel->Count(test::EventKind::kWarm), 1U);
  }
  pool->Start(test::Request(2));
  EXPECT_EQ(channel->WaitForCause(2), StopCause::kFinished);
  EXPECT_EQ(pool->Stats().threads, 2U);
  pool->Close();
  EXPECT_TRUE(pool->WaitUntilClosed(test::kPatience));
  EXPECT_TRUE(channel->WaitForCount(test::EventKind::kClosed, 1));
  EXPECT_EQ(channel->Count(test::EventKind::kOutcome), 2U);
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

void CloseWithoutRoom() {
  const AddressSpaceLimit limit;
  const auto book = std::make_shared<test::ScriptBook>();
  const auto channel = std::make_shared<test::RecordingChannel>();
  const auto pool = Pool::Create({.threads = 2, .warm_target = 0}, book->Factory(), channel);
  EXPECT_EQ(pool->Stats().threads, 0U);
  pool->Close();
  EXPECT_TRUE(pool->WaitUntilClosed(std::chrono::milliseconds(0)));
  EXPECT_EQ(channel->Count(test::EventKind::kClosed), 1U);
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

// No thread can be started while it lives. Root is not bound by it, so the process is not root's
// any more afterwards.
class ThreadLimit {
 public:
  ThreadLimit() {
    constexpr uid_t kNobody = 65534;
    const bool is_bound = getuid() != 0 || setuid(kNobody) == 0;
    EXPECT_TRUE(is_bound);
    getrlimit(RLIMIT_NPROC, &before_);
    rlimit limit = before_;
    limit.rlim_cur = 0;
    setrlimit(RLIMIT_NPROC, &limit);
  }
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
  ~ThreadLimit() { setrlimit(RLIMIT_NPROC, &before_); }

 private:
  rlimit before_{};
};

void StopRunsOfAPoolThatBeganWithoutAThread() {
  const auto book = std::make_shared<test::ScriptBook>();
  const auto channel = std::make_shared<test::RecordingChannel>();
  constexpr RunLimits kSoon{.wall_us = 20000};
  for (RunId run = 1; run <= 3; ++run)
    book->Set(run, test::RunsUntilInterrupted());
  std::shared_ptr<Pool> pool;
  {
    const ThreadLimit limit;
    const auto start = std::chrono::steady_clock::now();
    pool = Pool::Create({.threads = 2, .warm_target = 0}, book->Factory(), channel);
    pool->Start(test::Request(1, kSoon));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(50));
    EXPECT_EQ(channel->WaitForCause(1, std::chrono::milliseconds(0)), StopCause::kExhausted);
    EXPECT_EQ(channel->WaitForOutcome(1)->reason, "");
  }
  pool->Start(test::Request(2, kSoon));
  EXPECT_EQ(channel->WaitForCause(2), StopCause::kDeadline);
  {
    // What it has serves on.
    const ThreadLimit limit;
    pool->Start(test::Request(3, kSoon));
    EXPECT_EQ(channel->WaitForCause(3), StopCause::kDeadline);
  }
  EndWith(std::move(pool));
}

// The last thread is lost, and the system has no room for another until it is back.
void AnswerRunsThatWaitForAThreadThatCannotBe() {
  const auto book = std::make_shared<test::ScriptBook>();
  const auto channel = std::make_shared<test::RecordingChannel>();
  const auto release = test::NewSignal();
  const auto inside = test::NewSignal();
  book->Set(1, test::HoldsUntil(release, inside));
  auto pool = Pool::Create({.threads = 1, .warm_target = 0, .stuck_after = std::chrono::hours(1)},
                           book->Factory(), channel);
  pool->Start(test::Request(1));
  EXPECT_TRUE(inside->Wait());
  {
    const ThreadLimit limit;
    pool->Stop(1, StopCause::kTerminated, {});
    EXPECT_EQ(channel->WaitForCause(1), StopCause::kTerminated);
    pool->Start(test::Request(2));
    EXPECT_FALSE(channel->WaitForOutcome(2, std::chrono::milliseconds(20)).has_value());
    release->Raise();
    EXPECT_EQ(channel->WaitForCause(2), StopCause::kExhausted);
  }
  pool->Start(test::Request(3));
  EXPECT_EQ(channel->WaitForCause(3), StopCause::kFinished);
  EndWith(std::move(pool));
}

class PoolDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(PoolDeathTest, StopsRunsThoughItBeganWithoutAThread) {
  EXPECT_EXIT(StopRunsOfAPoolThatBeganWithoutAThread(), testing::ExitedWithCode(0), "");
}

TEST_F(PoolDeathTest, AnswersRunsThatWaitForAThreadThatCannotBe) {
  EXPECT_EXIT(AnswerRunsThatWaitForAThreadThatCannotBe(), testing::ExitedWithCode(0), "");
}

class AddressSpaceDeathTest : public PoolDeathTest {
 protected:
  void SetUp() override {
    if (kNeedsTheAddressSpace) GTEST_SKIP() << "the sanitizer reserves more than the limit";
    PoolDeathTest::SetUp();
  }
};

TEST_F(AddressSpaceDeathTest, RefusesRunsWhileThereIsNoRoomForThreadsAndRecovers) {
  EXPECT_EXIT(ServeWithoutRoomAndWithRoom(), testing::ExitedWithCode(0), "");
}

TEST_F(AddressSpaceDeathTest, ClosesWithoutEverHavingHadAThread) {
  EXPECT_EXIT(CloseWithoutRoom(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace isobox
