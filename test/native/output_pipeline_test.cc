#include "native/output/output_pipeline.h"

#include <gtest/gtest.h>

#include <string>

#include "native/output/intent_filter.h"
#include "native/output/text_cut.h"

namespace isobox {
namespace {

std::string Lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i)
    text += "line " + std::to_string(1000 + i) + "\n";  // ten bytes each
  return text;
}

std::string Repeat(std::string_view part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += part;
  return text;
}

TEST(TextCut, KeepsCharactersWhole) {
  const std::string_view text = "aé漢";  // 1 + 2 + 3 bytes
  EXPECT_EQ(FloorBoundary(text, 2), 1U);
  EXPECT_EQ(CeilBoundary(text, 2), 3U);
  EXPECT_EQ(FloorBoundary(text, 5), 3U);
  EXPECT_EQ(CeilBoundary(text, 4), 6U);
  EXPECT_EQ(FloorBoundary(text, 99), 6U);
  EXPECT_EQ(CeilBoundary(text, 99), 6U);
}

TEST(TextCut, WritesSizesWithOneDecimal) {
  EXPECT_EQ(KilobytesOf(0), "0.0KB");
  EXPECT_EQ(KilobytesOf(1536), "1.5KB");
  EXPECT_EQ(KilobytesOf(10'240'000), "10000.0KB");
}

TEST(IntentFilter, LeavesTextsUpToItsThresholdAlone) {
  const std::string paragraph = "plum\n\npear\n\n";
  std::string text = Repeat(paragraph, 1000).substr(0, kIntentThreshold);
  EXPECT_FALSE(FilterByIntent(text, "plum"));
  text += "x";
  EXPECT_TRUE(FilterByIntent(text, "plum"));
}

TEST(IntentFilter, KeepsParagraphsWithThirtyPercentOfTheWords) {
  const std::string filler(5000, '.');
  // Three of ten words are exactly 30 %, two are less.
  const std::string intent = "a b c d e f g h i j";
  const std::string text = "A, b and C!\n\na b x\n\n" + filler + "\n\n \n\nj i h g";
  EXPECT_EQ(FilterByIntent(text, intent),
            "[Filtered by intent: '" + intent + "' — 2/4 sections]\n\nA, b and C!\n\nj i h g");
}

TEST(IntentFilter, GroupsLinesWhereThereAreFewParagraphs) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += i == 505 ? "a plum\n" : "nothing\n";
  const std::string group =
      Repeat("nothing\n", 5) + "a plum\n" + Repeat("nothing\n", 3) + "nothing";
  EXPECT_EQ(FilterByIntent(text, "Plum"),
            "[Filtered by intent: 'Plum' — 1/100 sections]\n\n" + group);
}

TEST(IntentFilter, LeavesTextAloneThatItCannotFilter) {
  const std::string text = Repeat("some words\n\n", 1000);
  EXPECT_FALSE(FilterByIntent(text, ""));
  EXPECT_FALSE(FilterByIntent(text, " ?! "));
  EXPECT_FALSE(FilterByIntent(text, "absent"));
  EXPECT_FALSE(FilterByIntent(std::string(6000, 'x'), "x"));  // one section
}

TEST(IntentFilter, FoldsCaseOfOtherAlphabets) {
  const std::string filler = Repeat("0 ", 3000);
  const std::string text = "GRÖSSE\n\nΑΘΗΝΑ\n\nМОСКВА\n\nŁÓDŹ\n\n漢字\n\n" + filler;
  for (const std::string word : {"grösse", "αθηνα", "москва", "łódź", "漢字"}) {
    const auto filtered = FilterByIntent(text, word);
    ASSERT_TRUE(filtered) << word;
    EXPECT_NE(filtered->find(" 1/6 sections"), std::string::npos) << *filtered;
  }
}

TEST(Truncate, LeavesWhatFits) {
  EXPECT_FALSE(Truncate("aaa\nbbb\n", 8, Truncation::kMiddle));
  EXPECT_FALSE(Truncate("", 0, Truncation::kTail));
}

TEST(Truncate, KeepsWholeLinesOfBothEnds) {
  const std::string text = Lines(20);
  EXPECT_EQ(Truncate(text, 100, Truncation::kMiddle),
            text.substr(0, 60) +
                "\n... [10 lines / 0.1KB truncated — showing first 6 + last 4 lines] ...\n" +
                text.substr(160));
}

TEST(Truncate, CountsALastLineWithoutALineFeed) {
  const std::string text = Lines(19) + "the last";
  const std::string cut = *Truncate(text, 100, Truncation::kMiddle);
  EXPECT_NE(cut.find("[10 lines / 0.1KB truncated — showing first 6 + last 4 lines]"),
            std::string::npos);
  EXPECT_EQ(cut.substr(cut.size() - 8), "the last");
}

TEST(Truncate, CutsOneLineBetweenCharacters) {
  EXPECT_EQ(Truncate(std::string(2048, 'x'), 100, Truncation::kMiddle),
            std::string(60, 'x') + "\n... [truncated middle — 1.9KB omitted] ...\n" +
                std::string(40, 'x'));
  const std::string text = Repeat("漢", 100);
  const std::string cut = *Truncate(text, 100, Truncation::kMiddle);
  EXPECT_EQ(cut.substr(0, 60), Repeat("漢", 20));
  EXPECT_EQ(cut.substr(cut.size() - 39), Repeat("漢", 13));
}

TEST(Truncate, KeepsAFirstLineLongerThanItsShareButNotOneThatIsTooLong) {
  const std::string rest = Lines(20);
  const std::string first = std::string(80, 'x') + "\n";
  EXPECT_EQ(Truncate(first + rest, 100, Truncation::kMiddle),
            first + "\n... [19 lines / 0.2KB truncated — showing first 1 + last 1 lines] ...\n" +
                rest.substr(190));
  const std::string cut = *Truncate(std::string(500, 'x') + "\n" + rest, 100, Truncation::kMiddle);
  EXPECT_EQ(cut.rfind(std::string(60, 'x') + "\n... [truncated middle — ", 0), 0U) << cut;
}

TEST(Truncate, CutsTheTailAlone) {
  EXPECT_EQ(Truncate("漢字漢字", 7, Truncation::kTail), "漢字\n... [output truncated]");
}

TEST(OutputPipeline, LeavesSmallOutputAsItIs) {
  EXPECT_FALSE(ReduceOutput("{\"a\":1}", {}));
  EXPECT_FALSE(ReduceOutput("", {}));
}

TEST(OutputPipeline, AppendsSizesWhenMoreThanTwoHundredBytesAreGone) {
  const OutputSettings settings{.max_bytes = 1000, .truncation = Truncation::kTail};
  const std::string mark = "\n... [output truncated]";
  const std::size_t at_most = 1000 + mark.size() + 200;
  EXPECT_EQ(ReduceOutput(std::string(at_most, 'x'), settings), std::string(1000, 'x') + mark);
  EXPECT_EQ(
      ReduceOutput(std::string(at_most + 1, 'x'), settings),
      std::string(1000, 'x') + mark + "\n\n[Output: 1.0KB returned, 1.2KB processed, 16% reduced]");
}

TEST(OutputPipeline, SummarizesJsonAboveItsThresholdOnly) {
  const std::string json = "[" + Repeat("{\"id\":1},", 3) + "{\"id\":2}]";  // 37 bytes
  EXPECT_FALSE(ReduceOutput(json, {.chunk_threshold = json.size()}));
  const std::string large =
      "[" + Repeat("{\"id\":1,\"text\":\"................\"},", 9) + "{\"id\":2}]";
  EXPECT_FALSE(ReduceOutput(large, {.large_json = LargeJson::kKeep, .chunk_threshold = 1}));
}

TEST(OutputPipeline, GoesThroughItsStagesInOrder) {
  // What the intent leaves is text, so it is not summarized, but it is truncated.
  std::string json = "{\n";
  for (int i = 0; i < 2000; ++i)
    json += "  \"" + std::string(i % 2 == 0 ? "plum" : "pear") + std::to_string(i) + "\": 1,\n\n";
  json += "  \"plum\": 2\n}";
  const std::string reduced = *ReduceOutput(json, {.intent = "plum2", .max_bytes = 10});
  EXPECT_EQ(reduced.rfind("[Filte\n... [truncated middle — ", 0), 0U) << reduced;
}

}  // namespace
}  // namespace isobox
