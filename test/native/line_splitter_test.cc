#include "native/protocol/line_splitter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace isobox {
namespace {

using Kind = Line::Kind;

struct Seen {
  std::vector<std::string> texts;
  std::vector<std::uint64_t> too_long;
  std::vector<std::uint64_t> numbers;
};

void Drain(LineSplitter& splitter, Seen& seen) {
  while (const auto line = splitter.Next()) {
    seen.numbers.push_back(line->number);
    if (line->kind == Kind::kText) {
      EXPECT_EQ(line->bytes >= line->text.size(), true);
      seen.texts.emplace_back(line->text);
    } else {
      EXPECT_TRUE(line->text.empty());
      seen.too_long.push_back(line->bytes);
    }
  }
}

// Feeds the input in chunks of one size; each chunk is a copy that is gone when it has been read.
Seen Split(std::string_view input, std::size_t chunk_size, std::size_t max_bytes = 1000) {
  LineSplitter splitter(max_bytes);
  Seen seen;
  for (std::size_t at = 0; at < input.size(); at += chunk_size) {
    const std::string chunk(input.substr(at, chunk_size));
    splitter.Feed(chunk);
    Drain(splitter, seen);
  }
  splitter.Finish();
  Drain(splitter, seen);
  return seen;
}

class LineSplitterTest : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(ChunksOf, LineSplitterTest, testing::Values(1, 2, 3, 7, 64, 100'000));

TEST_P(LineSplitterTest, LinesAreTheSameHoweverTheyArrive) {
  const Seen seen = Split("one\ntwo\r\n\n three \n", GetParam());
  EXPECT_EQ(seen.texts, (std::vector<std::string>{"one", "two\r", "", " three "}));
  EXPECT_EQ(seen.numbers, (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

TEST_P(LineSplitterTest, TheLastLineNeedsNoLineFeed) {
  EXPECT_EQ(Split("a\nbc", GetParam()).texts, (std::vector<std::string>{"a", "bc"}));
  EXPECT_EQ(Split("a\n", GetParam()).texts, (std::vector<std::string>{"a"}));
  EXPECT_TRUE(Split("", GetParam()).texts.empty());
}

TEST_P(LineSplitterTest, BytesOfAnyKindPass) {
  const std::string bytes("\0\xff\x80{\0}", 6);
  EXPECT_EQ(Split(bytes + "\n" + bytes, GetParam()).texts,
            (std::vector<std::string>{bytes, bytes}));
}

TEST_P(LineSplitterTest, AByteOrderMarkIsDroppedAtTheStartAndNowhereElse) {
  const Seen seen = Split("\xEF\xBB\xBF{}\n\xEF\xBB\xBF{}\n", GetParam());
  EXPECT_EQ(seen.texts, (std::vector<std::string>{"{}", "\xEF\xBB\xBF{}"}));
}

TEST_P(LineSplitterTest, LinesUpToTheBoundPassAndLongerOnesAreOnlyCounted) {
  const std::string fits(10, 'a');
  const std::string input = fits + "\n" + fits + "b\n" + std::string(5000, 'c') + "\nd\n";
  const Seen seen = Split(input, GetParam(), 10);
  EXPECT_EQ(seen.texts, (std::vector<std::string>{fits, "d"}));
  EXPECT_EQ(seen.too_long, (std::vector<std::uint64_t>{11, 5000}));
  EXPECT_EQ(seen.numbers, (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

TEST_P(LineSplitterTest, ATooLongLineAtTheEndIsReportedToo) {
  const Seen seen = Split("a\n" + std::string(500, 'c'), GetParam(), 10);
  EXPECT_EQ(seen.texts, (std::vector<std::string>{"a"}));
  EXPECT_EQ(seen.too_long, (std::vector<std::uint64_t>{500}));
}

TEST(LineSplitter, ALineWithinAChunkIsNotCopied) {
  LineSplitter splitter(100);
  const std::string chunk = "first\nsecond\n";
  splitter.Feed(chunk);
  EXPECT_EQ(splitter.Next()->text.data(), chunk.data());
  EXPECT_EQ(splitter.Next()->text.data(), chunk.data() + 6);
  EXPECT_FALSE(splitter.Next().has_value());
}

TEST(LineSplitter, NothingIsGivenTwice) {
  LineSplitter splitter(100);
  splitter.Feed("half");
  EXPECT_FALSE(splitter.Next().has_value());
  EXPECT_FALSE(splitter.Next().has_value());
  splitter.Finish();
  EXPECT_EQ(splitter.Next()->text, "half");
  EXPECT_FALSE(splitter.Next().has_value());
}

}  // namespace
}  // namespace isobox
