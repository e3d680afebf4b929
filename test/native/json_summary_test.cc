#include "native/output/json_summary.h"

#include <gtest/gtest.h>

#include <string>

#include "native/output/compact_json.h"

namespace isobox {
namespace {

std::string Repeat(std::string_view part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += part;
  return text;
}

TEST(CompactJson, FindsThePartsOfAText) {
  const auto json = CompactJson::Read(R"( { "a" : [ 1 , {"b" : "]\\"} ] , "c\"}" : null } )");
  ASSERT_TRUE(json);
  CompactJson::Children members(*json, json->root());
  ASSERT_TRUE(members.Next());
  EXPECT_EQ(members.key(), "a");
  EXPECT_EQ(members.value().text, R"([1,{"b":"]\\"}])");
  CompactJson::Children items(*json, members.value());
  ASSERT_TRUE(items.Next());
  EXPECT_TRUE(items.value().IsNumber());
  ASSERT_TRUE(items.Next());
  EXPECT_TRUE(items.value().IsObject());
  EXPECT_FALSE(items.Next());
  ASSERT_TRUE(members.Next());
  EXPECT_EQ(members.key(), R"(c\"})");
  EXPECT_EQ(members.value().text, "null");
  EXPECT_FALSE(members.Next());
}

TEST(CompactJson, RefusesWhatIsNoJson) {
  for (const std::string_view text :
       {"", "{", "[1,]", "{\"a\" 1}", "[1] [2]", "[1 2]", "\"\xFF\"", "[nul]", "[\"\\ud800\"]"})
    EXPECT_FALSE(CompactJson::Read(text)) << text;
  EXPECT_FALSE(CompactJson::Read(Repeat("[", 2000) + Repeat("]", 2000)));
}

TEST(JsonSummary, TellsAUniformArrayByItsFirstItems) {
  EXPECT_EQ(SummarizeJson("[" + Repeat("{\"a\": 1, \"b\": \"some text\"}, ", 9) +
                          "{\"b\": 2, \"a\": 1}]"),
            "[Array of 10 items with uniform structure (2 keys: a, b)]\n\nShowing first 3:\n" +
                Repeat("{\"a\":1,\"b\":\"some text\"},\n", 2) + "{\"a\":1,\"b\":\"some text\"}");
}

TEST(JsonSummary, NamesFiveKeysAndTwentyIdentities) {
  std::string text = "[";
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i);
    text += (i == 0 ? "" : ",") + std::string("{\"f\":null,\"e\":0,\"label\":\"l\",\"title\":\"t") +
            n + "\",\"id\":" + n + ",\"name\":false,\"c\":0}";
  }
  const std::string summary = *SummarizeJson(text + "]");
  EXPECT_NE(summary.find("(7 keys: c, e, f, id, label)]"), std::string::npos) << summary;
  EXPECT_NE(summary.find("\n\nRemaining 27 items: id=3, title=t3; id=4, title=t4; "),
            std::string::npos)
      << summary;
  const std::string end = "id=22, title=t22; ...";
  EXPECT_EQ(summary.substr(summary.size() - end.size()), end);
}

TEST(JsonSummary, ListsWhatIsNotUniformByPath) {
  const std::string text(5000, 'x');
  const std::string json = R"({"id": 1, "list": [)" + Repeat("{\"id\":7},", 1000) + "{\"name\":\"" +
                           text + R"("}], "deep": {"flat": {"slug": "s", "n": 1.5}, "none": []}})";
  EXPECT_EQ(SummarizeJson(json),
            "[JSON chunked: 6 chunks, 12.7KB total]\n\n"
            "  id — 0.0KB\n"
            "  list > [0-511] — 4.0KB (id=7)\n"
            "  list > [512-999] — 3.8KB (id=7)\n"
            "  list > [1000] — 4.9KB (name=" +
                std::string(200, 'x') +
                ")\n"
                "  deep > flat — 0.0KB (slug=s)\n"
                "  deep > none — 0.0KB\n");
}

TEST(JsonSummary, LeavesOnePartAsItIs) {
  EXPECT_FALSE(SummarizeJson("{\"a\":1}"));
  EXPECT_FALSE(SummarizeJson("[1,2,3,4]"));
  EXPECT_FALSE(SummarizeJson("[{\"a\":1},{\"b\":1},{\"a\":1},{\"a\":1}]"));
  EXPECT_FALSE(SummarizeJson("  \"text\""));
  EXPECT_FALSE(SummarizeJson(""));
  EXPECT_FALSE(SummarizeJson("{not json}"));
}

TEST(JsonSummary, NeverGrowsWhatItSummarizes) {
  // A thousand levels above many scalars: each line would repeat the whole path.
  const std::string deep = Repeat("{\"some-long-key\":", 500) + "{" + Repeat("\"k\":1,", 5000) +
                           "\"k\":1}" + Repeat("}", 500);
  EXPECT_FALSE(SummarizeJson(deep));
}

}  // namespace
}  // namespace isobox
