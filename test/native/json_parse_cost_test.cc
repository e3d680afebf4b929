#include "native/core/json_parse_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace isobox {
namespace {

constexpr uint64_t kMiB = 1U << 20U;

std::span<const uint8_t> Units(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i)
    out += text;
  return out;
}

bool FitsExactly(std::string_view text, uint64_t bytes, size_t piece = SIZE_MAX) {
  ParseCost cost(bytes, text.size());
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    if (!cost.Look(Units(text.substr(0, piece)))) break;
  return cost.Fits();
}

bool FitsQuickly(std::string_view text, uint64_t bytes) {
  QuickParseCost cost;
  cost.Look(Units(text));
  return cost.Fits(bytes);
}

TEST(JsonParseCost, CountsWhatIsOpen) {
  EXPECT_TRUE(FitsExactly(Repeat("[", 10'000), kMiB));
  EXPECT_FALSE(FitsExactly(Repeat("[", 11'000), kMiB));
  EXPECT_FALSE(FitsExactly(Repeat("{\"a\":", 11'000), kMiB));
}

TEST(JsonParseCost, GivesBackWhatIsClosed) {
  EXPECT_TRUE(FitsExactly("[" + Repeat("[],", 20'000) + "1]", kMiB));
  EXPECT_FALSE(FitsExactly("[" + Repeat("[],", 60'000) + "1]", kMiB));
}

TEST(JsonParseCost, CountsElementsAndPropertiesThatWait) {
  EXPECT_TRUE(FitsExactly("[" + Repeat("1,", 60'000) + "1]", kMiB));
  EXPECT_FALSE(FitsExactly("[" + Repeat("1,", 70'000) + "1]", kMiB));
  EXPECT_FALSE(FitsExactly("{" + Repeat("\"a\":1,", 35'000) + "\"b\":1}", kMiB));
}

TEST(JsonParseCost, TakesStringsForWhatTheyAre) {
  EXPECT_TRUE(FitsExactly("[\"" + Repeat("[{,", 100'000) + "\"]", kMiB));
  EXPECT_TRUE(FitsExactly("[\"" + Repeat("\\\"[", 100'000) + "\"]", kMiB));
  EXPECT_FALSE(FitsExactly("[\"\\\\\"," + Repeat("[", 11'000), kMiB));
}

TEST(JsonParseCost, DoesNotCareHowTheTextIsCut) {
  const std::string text = "[\"a\\\"[\"," + Repeat("{\"b\":[1,", 6'000);
  for (const size_t piece : {1, 2, 3, 7, 1000})
    EXPECT_FALSE(FitsExactly(text, kMiB, piece));
}

TEST(JsonParseCost, StopsWhereTheParserWould) {
  EXPECT_TRUE(FitsExactly("]" + Repeat("[", 100'000), kMiB));
  EXPECT_TRUE(FitsExactly("[}" + Repeat("[", 100'000), kMiB));
  EXPECT_TRUE(FitsExactly("1," + Repeat("[", 100'000), kMiB));
}

TEST(JsonParseCost, CountsTheTextItself) {
  EXPECT_FALSE(FitsExactly("\"" + std::string(kMiB, 'x') + "\"", kMiB));
}

TEST(JsonParseCost, QuicklyIsNeverLess) {
  for (const std::string& text :
       {Repeat("[", 11'000), Repeat("{\"a\":", 11'000), "[" + Repeat("1,", 70'000) + "1]",
        "{" + Repeat("\"a\":1,", 35'000) + "\"b\":1}"}) {
    EXPECT_FALSE(FitsQuickly(text, kMiB));
  }
  EXPECT_TRUE(FitsQuickly(Repeat("[1,2],", 2'000), kMiB));
}

}  // namespace
}  // namespace isobox
