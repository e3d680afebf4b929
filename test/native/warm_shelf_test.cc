#include "native/core/warm_shelf.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <vector>

#include "test/native/fake_guest.h"

namespace isobox {
namespace {

using test::FakeGuest;
using test::ScriptBook;
using Clock = WarmShelf::Clock;
using std::chrono::seconds;

class WarmShelfTest : public testing::Test {
 protected:
  void Prepare(WarmShelf& shelf) {
    shelf.BeginPreparation();
    shelf.Put(std::make_unique<FakeGuest>(book_), reached_);
  }

  const std::shared_ptr<ScriptBook> book_ = std::make_shared<ScriptBook>();
  std::vector<uint64_t> reached_;
  const Clock::time_point now_ = Clock::now();
};

TEST_F(WarmShelfTest, WantsGuestsUpToItsTarget) {
  WarmShelf shelf(2, seconds(10));
  shelf.Touch(now_);
  EXPECT_TRUE(shelf.WantsMore(now_));
  Prepare(shelf);
  EXPECT_TRUE(shelf.WantsMore(now_));
  Prepare(shelf);
  EXPECT_FALSE(shelf.WantsMore(now_));
  EXPECT_EQ(shelf.size(), 2U);
}

TEST_F(WarmShelfTest, CountsGuestsInPreparation) {
  WarmShelf shelf(2, seconds(10));
  shelf.Touch(now_);
  shelf.BeginPreparation();
  shelf.BeginPreparation();
  EXPECT_EQ(shelf.in_preparation(), 2U);
  EXPECT_FALSE(shelf.WantsMore(now_));
  shelf.Put(std::make_unique<FakeGuest>(book_), reached_);
  EXPECT_EQ(shelf.in_preparation(), 1U);
  EXPECT_FALSE(shelf.WantsMore(now_));
}

TEST_F(WarmShelfTest, EachGuestLeavesOnce) {
  WarmShelf shelf(3, seconds(10));
  for (int i = 0; i < 3; ++i)
    Prepare(shelf);
  std::vector<std::unique_ptr<Guest>> taken;
  std::set<Guest*> distinct;
  while (auto guest = shelf.Take(reached_)) {
    distinct.insert(guest.get());
    taken.push_back(std::move(guest));
  }
  EXPECT_EQ(distinct.size(), 3U);
  EXPECT_EQ(shelf.size(), 0U);
  EXPECT_EQ(shelf.Take(reached_), nullptr);
  EXPECT_TRUE(shelf.WantsMore(now_));
}

TEST_F(WarmShelfTest, ExpiresWhenThePoolIsIdle) {
  WarmShelf shelf(2, seconds(10));
  shelf.Touch(now_);
  Prepare(shelf);
  Prepare(shelf);
  EXPECT_EQ(shelf.NextExpiry(), now_ + seconds(10));
  EXPECT_TRUE(shelf.TakeExpired(now_ + seconds(9)).empty());
  EXPECT_EQ(shelf.TakeExpired(now_ + seconds(10)).size(), 2U);
  EXPECT_EQ(book_->alive, 0);
  EXPECT_EQ(shelf.size(), 0U);
  EXPECT_EQ(shelf.NextExpiry(), WarmShelf::TimePoint::max());
  EXPECT_FALSE(shelf.WantsMore(now_ + seconds(10)));
}

TEST_F(WarmShelfTest, UsePutsTheExpiryOff) {
  WarmShelf shelf(1, seconds(10));
  shelf.Touch(now_);
  Prepare(shelf);
  shelf.Touch(now_ + seconds(5));
  EXPECT_TRUE(shelf.TakeExpired(now_ + seconds(14)).empty());
  EXPECT_EQ(shelf.TakeExpired(now_ + seconds(15)).size(), 1U);
}

TEST_F(WarmShelfTest, WantsGuestsAgainOnceUsed) {
  WarmShelf shelf(1, seconds(10));
  shelf.Touch(now_);
  EXPECT_FALSE(shelf.WantsMore(now_ + seconds(20)));
  shelf.Touch(now_ + seconds(20));
  EXPECT_TRUE(shelf.WantsMore(now_ + seconds(21)));
}

TEST_F(WarmShelfTest, ARequestCanAskForMoreThanTheTarget) {
  WarmShelf shelf(1, seconds(10));
  EXPECT_FALSE(shelf.Request(7, 3, now_));
  Prepare(shelf);
  EXPECT_TRUE(shelf.WantsMore(now_));
  Prepare(shelf);
  EXPECT_TRUE(reached_.empty());
  Prepare(shelf);
  EXPECT_EQ(reached_, (std::vector<uint64_t>{7}));
  EXPECT_FALSE(shelf.WantsMore(now_));
}

TEST_F(WarmShelfTest, ARequestThatIsMetAlreadyIsNotKept) {
  WarmShelf shelf(2, seconds(10));
  Prepare(shelf);
  EXPECT_TRUE(shelf.Request(7, 1, now_));
  EXPECT_TRUE(shelf.Request(8, 0, now_));
  Prepare(shelf);
  EXPECT_TRUE(reached_.empty());
  EXPECT_TRUE(shelf.DropRequests().empty());
}

TEST_F(WarmShelfTest, SeveralRequestsAreReachedByOneGuest) {
  WarmShelf shelf(0, seconds(10));
  EXPECT_FALSE(shelf.Request(1, 1, now_));
  EXPECT_FALSE(shelf.Request(2, 2, now_));
  EXPECT_FALSE(shelf.Request(3, 1, now_));
  Prepare(shelf);
  EXPECT_EQ(std::set<uint64_t>(reached_.begin(), reached_.end()), (std::set<uint64_t>{1, 3}));
  reached_.clear();
  Prepare(shelf);
  EXPECT_EQ(reached_, (std::vector<uint64_t>{2}));
}

TEST_F(WarmShelfTest, KeepsItsGuestsWhileARequestIsOpen) {
  WarmShelf shelf(1, seconds(10));
  shelf.Touch(now_);
  Prepare(shelf);
  EXPECT_FALSE(shelf.Request(1, 2, now_));
  EXPECT_EQ(shelf.NextExpiry(), WarmShelf::TimePoint::max());
  EXPECT_TRUE(shelf.TakeExpired(now_ + seconds(100)).empty());
  EXPECT_TRUE(shelf.WantsMore(now_ + seconds(100)));
}

TEST_F(WarmShelfTest, DroppedRequestsAreReturnedOnce) {
  WarmShelf shelf(0, seconds(10));
  EXPECT_FALSE(shelf.Request(1, 1, now_));
  EXPECT_FALSE(shelf.Request(2, 5, now_));
  EXPECT_EQ(shelf.DropRequests(), (std::vector<uint64_t>{1, 2}));
  EXPECT_TRUE(shelf.DropRequests().empty());
  EXPECT_FALSE(shelf.WantsMore(now_));
  Prepare(shelf);
  EXPECT_TRUE(reached_.empty());
}

TEST_F(WarmShelfTest, WantsNoMoreGuestsThanWillBeTaken) {
  WarmShelf shelf(2, seconds(10), 3);
  shelf.Touch(now_);
  EXPECT_FALSE(shelf.Request(1, 5, now_));
  Prepare(shelf);
  Prepare(shelf);
  EXPECT_NE(shelf.Take(reached_), nullptr);
  EXPECT_TRUE(shelf.WantsMore(now_));
  EXPECT_TRUE(reached_.empty());
  Prepare(shelf);
  EXPECT_EQ(reached_, (std::vector<uint64_t>{1}));
  EXPECT_FALSE(shelf.WantsMore(now_));
}

TEST_F(WarmShelfTest, AnswersARequestWhenNobodyWillTakeAGuest) {
  WarmShelf shelf(0, seconds(10), 1);
  EXPECT_FALSE(shelf.Request(1, 1, now_));
  EXPECT_EQ(shelf.Take(reached_), nullptr);
  EXPECT_EQ(reached_, (std::vector<uint64_t>{1}));
  EXPECT_FALSE(shelf.WantsMore(now_));
}

TEST_F(WarmShelfTest, TakeAllEmptiesTheShelf) {
  WarmShelf shelf(2, seconds(10));
  Prepare(shelf);
  Prepare(shelf);
  EXPECT_EQ(shelf.TakeAll().size(), 2U);
  EXPECT_EQ(shelf.size(), 0U);
  EXPECT_EQ(book_->alive, 0);
}

}  // namespace
}  // namespace isobox
