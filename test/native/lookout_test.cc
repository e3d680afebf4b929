#include "native/core/lookout.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "native/core/guarded.h"
#include "test/native/fake_guest.h"

namespace isobox {
namespace {

using std::chrono::milliseconds;

// A thread that sleeps until there is something to take.
class Sleeper {
 public:
  explicit Sleeper(Lookout& lookout)
      : thread_([this, &lookout] {
          auto runnable = runnable_.Lock();
          is_asleep_ = true;
          while (*runnable == 0)
            lookout.Sleep(runnable);
          woken_.Raise();
        }) {
    // Then it holds the lock, or sleeps.
    EXPECT_TRUE(test::Eventually([this] { return is_asleep_.load(); }));
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper() { thread_.join(); }

  void Add(Lookout& lookout) {
    auto runnable = runnable_.Lock();
    *runnable += 1;
    lookout.Added(*runnable);
  }
  bool IsWoken(milliseconds patience = test::kPatience) { return woken_.Wait(patience); }

 private:
  Guarded<size_t> runnable_;
  std::atomic<bool> is_asleep_{false};
  test::Signal woken_;
  std::thread thread_;
};

TEST(Lookout, WakesASleeperForWhatIsAdded) {
  Lookout lookout;
  Sleeper sleeper(lookout);
  sleeper.Add(lookout);
  EXPECT_TRUE(sleeper.IsWoken());
  EXPECT_TRUE(lookout.HasRunnable());
}

TEST(Lookout, WakesNobodyForWhatAWatchingThreadCanTake) {
  Lookout lookout;
  Sleeper sleeper(lookout);
  const Lookout::Watch watch(lookout);
  sleeper.Add(lookout);
  EXPECT_FALSE(sleeper.IsWoken(milliseconds(50)));
  EXPECT_TRUE(lookout.HasRunnable());
  sleeper.Add(lookout);  // more than that thread can take
  EXPECT_TRUE(sleeper.IsWoken());
}

TEST(Lookout, AWatchThatHasEndedTakesNothing) {
  Lookout lookout;
  Sleeper sleeper(lookout);
  { const Lookout::Watch watch(lookout); }
  sleeper.Add(lookout);
  EXPECT_TRUE(sleeper.IsWoken());
}

TEST(Lookout, KnowsWhenNothingIsLeft) {
  Lookout lookout;
  EXPECT_FALSE(lookout.HasRunnable());
  lookout.Added(1);
  lookout.Taken(0);
  EXPECT_FALSE(lookout.HasRunnable());
}

}  // namespace
}  // namespace isobox
