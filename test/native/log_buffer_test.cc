#include "native/core/log_buffer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace isobox {
namespace {

constexpr std::string_view kAccent = "\xC3\xA9";         // é: 2 bytes, 1 unit
constexpr std::string_view kEuro = "\xE2\x82\xAC";       // €: 3 bytes, 1 unit
constexpr std::string_view kSmile = "\xF0\x9F\x98\x80";  // an emoji: 4 bytes, 2 units
constexpr std::string_view kMixed = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";  // 1+1+1+2+1 units

TEST(Utf16Length, CountsAsJavaScriptDoes) {
  EXPECT_EQ(Utf16Length(""), 0U);
  EXPECT_EQ(Utf16Length("abc"), 3U);
  EXPECT_EQ(Utf16Length(kAccent), 1U);
  EXPECT_EQ(Utf16Length(kEuro), 1U);
  EXPECT_EQ(Utf16Length(kSmile), 2U);
  EXPECT_EQ(Utf16Length(kMixed), 6U);
}

TEST(ClipToUtf16Length, KeepsWhatFits) {
  EXPECT_EQ(ClipToUtf16Length("abc", 3), "abc");
  EXPECT_EQ(ClipToUtf16Length("abc", 100), "abc");
  EXPECT_EQ(ClipToUtf16Length("abc", 2), "ab");
  EXPECT_EQ(ClipToUtf16Length("abc", 0), "");
  EXPECT_EQ(ClipToUtf16Length("", 5), "");
}

TEST(ClipToUtf16Length, NeverSplitsACharacter) {
  EXPECT_EQ(ClipToUtf16Length(kMixed, 6), kMixed);
  EXPECT_EQ(ClipToUtf16Length(kMixed, 5), "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  // Half of a surrogate pair would fit; the whole character does not.
  EXPECT_EQ(ClipToUtf16Length(kMixed, 4), "a\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(ClipToUtf16Length(kMixed, 3), "a\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(ClipToUtf16Length(kMixed, 2), "a\xC3\xA9");
  EXPECT_EQ(ClipToUtf16Length(kSmile, 1), "");
}

TEST(ClipToUtf16Length, IsTheLongestPrefixThatFits) {
  for (uint64_t units = 0; units <= 7; ++units) {
    const std::string_view clipped = ClipToUtf16Length(kMixed, units);
    EXPECT_TRUE(kMixed.starts_with(clipped));
    EXPECT_LE(Utf16Length(clipped), units);
    if (clipped == kMixed) continue;
    // The next character alone is what breaks the limit.
    const std::string_view rest = kMixed.substr(clipped.size());
    EXPECT_GT(Utf16Length(clipped) + (rest.starts_with(kSmile) ? 2 : 1), units);
  }
}

TEST(LogBuffer, KeepsLinesInOrderWithLevelAndTime) {
  LogBuffer buffer(10, 100);
  ASSERT_NE(buffer.AppendLine(LogLevel::kWarn, 12.5, "first"), nullptr);
  const LogEntry* second = buffer.AppendLine(LogLevel::kError, 13.5, "second");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->text, "second");

  const auto entries = buffer.Take();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].text, "first");
  EXPECT_EQ(entries[0].level, LogLevel::kWarn);
  EXPECT_EQ(entries[0].timestamp_ms, 12.5);
  EXPECT_EQ(entries[1].level, LogLevel::kError);
  EXPECT_FALSE(buffer.truncated());
}

TEST(LogBuffer, StopsAtTheLineLimit) {
  LogBuffer buffer(2, 100);
  EXPECT_NE(buffer.AppendLine(LogLevel::kLog, 0, "1"), nullptr);
  EXPECT_FALSE(buffer.truncated());
  EXPECT_NE(buffer.AppendLine(LogLevel::kLog, 0, "2"), nullptr);
  EXPECT_FALSE(buffer.truncated());
  EXPECT_FALSE(buffer.HasRoom());
  EXPECT_EQ(buffer.AppendLine(LogLevel::kLog, 0, "3"), nullptr);
  EXPECT_TRUE(buffer.truncated());
  EXPECT_EQ(buffer.Take().size(), 2U);
}

TEST(LogBuffer, ClipsTheLineThatCrossesTheCharacterLimit) {
  LogBuffer buffer(10, 5);
  EXPECT_NE(buffer.AppendLine(LogLevel::kLog, 0, "abc"), nullptr);
  EXPECT_EQ(buffer.chars_left(), 2U);
  const LogEntry* clipped = buffer.AppendLine(LogLevel::kLog, 0, "defg");
  ASSERT_NE(clipped, nullptr);
  EXPECT_EQ(clipped->text, "de");
  EXPECT_TRUE(buffer.truncated());
  EXPECT_FALSE(buffer.HasRoom());
  EXPECT_EQ(buffer.AppendLine(LogLevel::kLog, 0, "h"), nullptr);
}

TEST(LogBuffer, CountsUtf16UnitsAndNotBytes) {
  LogBuffer buffer(10, 6);
  const LogEntry* whole = buffer.AppendLine(LogLevel::kLog, 0, kMixed);
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(whole->text, kMixed);
  EXPECT_EQ(buffer.chars_left(), 0U);
  EXPECT_FALSE(buffer.truncated());
}

TEST(LogBuffer, ASurrogatePairThatDoesNotFitEndsTheLog) {
  LogBuffer buffer(10, 2);
  const LogEntry* clipped = buffer.AppendLine(LogLevel::kLog, 0, "a\xF0\x9F\x98\x80");
  ASSERT_NE(clipped, nullptr);
  EXPECT_EQ(clipped->text, "a");
  EXPECT_TRUE(buffer.truncated());
  // The one unit left over is not given to later text, which would then appear out of context.
  EXPECT_EQ(buffer.AppendLine(LogLevel::kLog, 0, "b"), nullptr);
}

TEST(LogBuffer, EmptyLinesCostALineAndNoCharacters) {
  LogBuffer buffer(3, 1);
  EXPECT_NE(buffer.AppendLine(LogLevel::kLog, 0, "a"), nullptr);
  EXPECT_EQ(buffer.chars_left(), 0U);
  EXPECT_NE(buffer.AppendLine(LogLevel::kLog, 0, ""), nullptr);
  EXPECT_NE(buffer.AppendLine(LogLevel::kLog, 0, ""), nullptr);
  EXPECT_FALSE(buffer.truncated());
  EXPECT_EQ(buffer.AppendLine(LogLevel::kLog, 0, ""), nullptr);
  EXPECT_TRUE(buffer.truncated());
}

TEST(LogBuffer, KeepsWholeEntriesOrNothing) {
  LogBuffer buffer(10, 5);
  const LogEntry* kept = buffer.AppendEntry(LogLevel::kInfo, 1, {{"12"}, {"34"}});
  ASSERT_NE(kept, nullptr);
  ASSERT_EQ(kept->arguments.size(), 2U);
  EXPECT_EQ(kept->arguments[0].bytes, "12");
  EXPECT_EQ(kept->level, LogLevel::kInfo);
  EXPECT_FALSE(buffer.truncated());
  EXPECT_EQ(buffer.AppendEntry(LogLevel::kInfo, 2, {{"1"}, {"2"}}), nullptr);
  EXPECT_TRUE(buffer.truncated());
  EXPECT_EQ(buffer.chars_left(), 1U);
  EXPECT_EQ(buffer.Take().size(), 1U);
}

TEST(LogBuffer, KeepsNothingWithoutLinesOrCharacters) {
  LogBuffer no_lines(0, 100);
  EXPECT_FALSE(no_lines.HasRoom());
  EXPECT_EQ(no_lines.AppendLine(LogLevel::kLog, 0, "a"), nullptr);
  EXPECT_EQ(no_lines.AppendEntry(LogLevel::kLog, 0, {}), nullptr);
  EXPECT_TRUE(no_lines.truncated());

  LogBuffer no_chars(100, 0);
  EXPECT_FALSE(no_chars.HasRoom());
  EXPECT_EQ(no_chars.AppendLine(LogLevel::kLog, 0, "a"), nullptr);
  EXPECT_TRUE(no_chars.truncated());
}

TEST(LogBuffer, HasRoomForEverythingWhenUnlimited) {
  LogBuffer buffer(kUnlimited, kUnlimited);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_NE(buffer.AppendLine(LogLevel::kLog, 0, kMixed), nullptr);
  }
  EXPECT_TRUE(buffer.HasRoom());
  EXPECT_FALSE(buffer.truncated());
  EXPECT_EQ(buffer.Take().size(), 1000U);
}

TEST(LogBuffer, CountsEntriesWithTheMemoryTheyTakeWhenRebuilt) {
  LogBuffer buffer(10, 1000);
  const auto entry = [](uint64_t bytes) {
    return std::vector<Payload>{{.bytes = "12", .cost = {.bytes = bytes}}};
  };
  EXPECT_EQ(buffer.AppendEntry(LogLevel::kLog, 0, entry(1001)), nullptr);
  EXPECT_TRUE(buffer.truncated());
  EXPECT_NE(buffer.AppendEntry(LogLevel::kLog, 0, entry(900)), nullptr);
  EXPECT_EQ(buffer.chars_left(), 100U);
  EXPECT_NE(buffer.AppendEntry(LogLevel::kLog, 0, entry(1)), nullptr);
  EXPECT_EQ(buffer.chars_left(), 98U);
}

TEST(LogBuffer, GivesEachEntryOnce) {
  LogBuffer buffer(10, 1000);
  buffer.AppendLine(LogLevel::kLog, 0, "first");
  ASSERT_EQ(buffer.Take().size(), 1U);
  EXPECT_TRUE(buffer.Take().empty());
  buffer.AppendLine(LogLevel::kLog, 0, "second");
  const auto rest = buffer.Take();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest.front().text, "second");
}

}  // namespace
}  // namespace isobox
