#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>

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

class PoolDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kNeedsTheAddressSpace) GTEST_SKIP() << "the sanitizer reserves more than the limit";
    testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

TEST_F(PoolDeathTest, RefusesRunsWhileThereIsNoRoomForThreadsAndRecovers) {
  EXPECT_EXIT(ServeWithoutRoomAndWithRoom(), testing::ExitedWithCode(0), "");
}

TEST_F(PoolDeathTest, ClosesWithoutEverHavingHadAThread) {
  EXPECT_EXIT(CloseWithoutRoom(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace isobox
