#include "native/core/run_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "native/core/lookout.h"

namespace isobox {
namespace {

// With a lookout of its own.
class Queue : private Lookout, public RunQueue<int> {
 public:
  Queue(size_t max_admitted, size_t max_waiting)
      : RunQueue<int>(max_admitted, max_waiting, static_cast<Lookout&>(*this)) {}
  using Lookout::HasRunnable;
};
using Admission = Queue::Admission;

std::shared_ptr<int> NewRun(int id) { return std::make_shared<int>(id); }

std::vector<int> TakeAll(Queue& queue) {
  std::vector<int> order;
  while (auto run = queue.Take())
    order.push_back(*run);
  return order;
}

TEST(RunQueue, IsEmptyAtFirst) {
  Queue queue(1, 1);
  EXPECT_FALSE(queue.HasRunnable());
  EXPECT_EQ(queue.Take(), nullptr);
}

TEST(RunQueue, ServesFirstComeFirstServed) {
  Queue queue(10, 0);
  for (int id = 1; id <= 5; ++id)
    EXPECT_EQ(queue.Submit(NewRun(id)), Admission::kAdmitted);
  EXPECT_EQ(queue.runnable(), 5U);
  EXPECT_EQ(TakeAll(queue), (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(RunQueue, ARunThatIsRunnableAgainQueuesBehindTheOthers) {
  Queue queue(10, 0);
  queue.Submit(NewRun(1));
  queue.Submit(NewRun(2));
  auto first = queue.Take();
  queue.MakeRunnable(first);
  EXPECT_EQ(TakeAll(queue), (std::vector<int>{2, 1}));
  EXPECT_EQ(queue.admitted(), 2U);
}

TEST(RunQueue, RunsBeyondTheLimitWaitForAPlace) {
  Queue queue(2, 10);
  EXPECT_EQ(queue.Submit(NewRun(1)), Admission::kAdmitted);
  EXPECT_EQ(queue.Submit(NewRun(2)), Admission::kAdmitted);
  EXPECT_EQ(queue.Submit(NewRun(3)), Admission::kWaiting);
  EXPECT_EQ(queue.Submit(NewRun(4)), Admission::kWaiting);
  EXPECT_EQ(queue.waiting(), 2U);
  EXPECT_EQ(TakeAll(queue), (std::vector<int>{1, 2}));

  queue.Release();
  EXPECT_EQ(TakeAll(queue), (std::vector<int>{3}));
  queue.Release();
  EXPECT_EQ(TakeAll(queue), (std::vector<int>{4}));
  EXPECT_EQ(queue.admitted(), 2U);
  queue.Release();
  queue.Release();
  EXPECT_EQ(queue.admitted(), 0U);
}

TEST(RunQueue, ALateComerDoesNotOvertakeThoseWhoWait) {
  Queue queue(1, 10);
  queue.Submit(NewRun(1));
  queue.Submit(NewRun(2));
  TakeAll(queue);
  queue.Release();
  EXPECT_EQ(queue.Submit(NewRun(3)), Admission::kWaiting);
  EXPECT_EQ(TakeAll(queue), (std::vector<int>{2}));
}

TEST(RunQueue, RefusesWhenFull) {
  Queue queue(1, 1);
  EXPECT_EQ(queue.Submit(NewRun(1)), Admission::kAdmitted);
  EXPECT_EQ(queue.Submit(NewRun(2)), Admission::kWaiting);
  EXPECT_EQ(queue.Submit(NewRun(3)), Admission::kRefused);
  EXPECT_EQ(queue.waiting(), 1U);
  TakeAll(queue);
  queue.Release();
  EXPECT_EQ(queue.Submit(NewRun(4)), Admission::kWaiting);
}

TEST(RunQueue, WithdrawsOnlyRunsThatWait) {
  Queue queue(1, 10);
  const auto admitted = NewRun(1);
  const auto waiting = NewRun(2);
  const auto last = NewRun(3);
  const auto stranger = NewRun(4);
  queue.Submit(admitted);
  queue.Submit(waiting);
  queue.Submit(last);
  EXPECT_FALSE(queue.Withdraw(admitted.get()));
  EXPECT_FALSE(queue.Withdraw(stranger.get()));
  EXPECT_TRUE(queue.Withdraw(waiting.get()));
  EXPECT_FALSE(queue.Withdraw(waiting.get()));
  EXPECT_EQ(waiting.use_count(), 1);
  EXPECT_EQ(TakeAll(queue), (std::vector<int>{1}));
  queue.Release();
  EXPECT_EQ(TakeAll(queue), (std::vector<int>{3}));
}

TEST(RunQueue, TellsTheLookoutOfEverythingThatBecomesRunnable) {
  Queue queue(1, 1);
  queue.Submit(NewRun(1));
  EXPECT_TRUE(queue.HasRunnable());
  const auto first = queue.Take();
  EXPECT_FALSE(queue.HasRunnable());
  queue.MakeRunnable(first);
  EXPECT_TRUE(queue.HasRunnable());
  queue.Take();
  queue.Submit(NewRun(2));  // waits for a place
  EXPECT_FALSE(queue.HasRunnable());
  queue.Release();
  EXPECT_TRUE(queue.HasRunnable());
}

}  // namespace
}  // namespace isobox
