#include "native/process/ring.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "native/process/shared_segment.h"

namespace isobox {
namespace {

constexpr size_t kSmall = 64;

struct SmallRing {
  RingState state{};
  std::array<char, kSmall> bytes{};
  RingPlace place() { return {&state, bytes.data(), bytes.size()}; }
};

TEST(Ring, GivesBytesInTheirOrderAcrossItsEnd) {
  SmallRing ring;
  RingWriter writer(ring.place());
  RingReader reader(ring.place());
  std::string sent;
  std::string received;
  for (int round = 0; round < 100; ++round) {
    std::string text(static_cast<size_t>(round % 50), static_cast<char>('a' + round % 26));
    const size_t count = writer.Write(text.data(), text.size());
    sent.append(text, 0, count);
    std::array<char, 37> out{};
    received.append(out.data(), reader.Read(out.data(), out.size()));
  }
  std::array<char, kSmall> rest{};
  received.append(rest.data(), reader.Read(rest.data(), rest.size()));
  EXPECT_GT(sent.size(), 10 * kSmall);
  EXPECT_EQ(received, sent);
}

TEST(Ring, TakesWhatFitsAndNoMore) {
  SmallRing ring;
  RingWriter writer(ring.place());
  const std::string text(100, 'x');
  EXPECT_EQ(writer.Write(text.data(), text.size()), kSmall);
  EXPECT_EQ(writer.Write(text.data(), text.size()), 0U);
  EXPECT_FALSE(writer.HasRoom());
  EXPECT_FALSE(writer.IsBroken());
}

TEST(Ring, BelievesNoPositionThatCannotBe) {
  SmallRing ring;
  RingReader reader(ring.place());
  ring.state.written = kSmall + 1;
  std::array<char, kSmall> out{};
  EXPECT_EQ(reader.Read(out.data(), out.size()), 0U);
  EXPECT_TRUE(reader.IsBroken());

  SmallRing other;
  RingWriter writer(other.place());
  other.state.read = 1;  // more than was ever written
  EXPECT_EQ(writer.Write("x", 1), 0U);
  EXPECT_TRUE(writer.IsBroken());
}

TEST(Ring, StaysBrokenWhenThePositionIsPutRight) {
  SmallRing ring;
  RingReader reader(ring.place());
  ring.state.written = kSmall + 1;
  EXPECT_EQ(reader.Available(), 0U);
  ring.state.written = 1;
  EXPECT_EQ(reader.Available(), 0U);
  EXPECT_TRUE(reader.IsBroken());
}

TEST(Ring, KeepsItsOwnPositionForItself) {
  SmallRing ring;
  RingWriter writer(ring.place());
  RingReader reader(ring.place());
  ASSERT_EQ(writer.Write("abc", 3), 3U);
  ring.state.read = 2;  // not the writer's to believe more than was written, but possible
  std::array<char, 3> out{};
  EXPECT_EQ(reader.Read(out.data(), out.size()), 3U);
  EXPECT_EQ(std::string(out.data(), 3), "abc");
}

TEST(Ring, WakesASleeperOnce) {
  SmallRing ring;
  RingWriter writer(ring.place());
  RingReader reader(ring.place());
  writer.Write("a", 1);
  EXPECT_FALSE(writer.TakeSleeper());
  reader.AnnounceSleep();
  EXPECT_TRUE(writer.TakeSleeper());
  EXPECT_FALSE(writer.TakeSleeper());
}

// Two threads stand in for two processes: neither misses a byte or sleeps for ever.
TEST(Ring, CarriesAStreamBetweenThreadsThatSleep) {
  constexpr uint64_t kBytes = 200000;
  constexpr uint64_t kPatienceUs = 20'000'000;
  SmallRing ring;
  std::thread sender([&] {
    RingWriter writer(ring.place());
    for (uint64_t sent = 0; sent < kBytes;) {
      const char byte = static_cast<char>(sent % 251);
      if (writer.Write(&byte, 1) == 1) {
        sent += 1;
        if (writer.TakeSleeper()) WakeSleeper(ring.state.reader_sleeps);
        continue;
      }
      auto& sleeps = writer.AnnounceSleep();
      if (!writer.HasRoom()) SleepOn(sleeps, kPatienceUs);
    }
  });
  RingReader reader(ring.place());
  uint64_t wrong = 0;
  for (uint64_t received = 0; received < kBytes;) {
    std::array<char, 17> out{};
    const size_t count = reader.Read(out.data(), out.size());
    if (count > 0 && reader.TakeSleeper()) WakeSleeper(ring.state.writer_sleeps);
    for (size_t i = 0; i < count; ++i, ++received)
      wrong += out.at(i) == static_cast<char>(received % 251) ? 0 : 1;
    if (count > 0) continue;
    auto& sleeps = reader.AnnounceSleep();
    if (reader.Available() == 0) SleepOn(sleeps, kPatienceUs);
  }
  sender.join();
  EXPECT_EQ(wrong, 0U);
}

TEST(SharedSegment, IsTheSameMemoryForBothSides) {
  auto mine = SharedSegment::Create();
  ASSERT_TRUE(mine);
  auto theirs = SharedSegment::Adopt(dup(mine->descriptor()));
  ASSERT_TRUE(theirs);
  RingWriter writer(mine->to_guests());
  RingReader reader(theirs->to_guests());
  ASSERT_EQ(writer.Write("hello", 5), 5U);
  std::array<char, 5> out{};
  EXPECT_EQ(reader.Read(out.data(), out.size()), 5U);
  EXPECT_EQ(std::string(out.data(), 5), "hello");
  EXPECT_EQ(RingReader(theirs->to_host()).Available(), 0U);
}

// Else a process could take away pages that the other is about to touch.
TEST(SharedSegment, CannotBeCutShort) {
  auto segment = SharedSegment::Create();
  ASSERT_TRUE(segment);
  EXPECT_NE(ftruncate(segment->descriptor(), 0), 0);
}

}  // namespace
}  // namespace isobox
