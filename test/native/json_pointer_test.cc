#include "native/output/json_pointer.h"

#include <gtest/gtest.h>

namespace isobox {
namespace {

constexpr std::string_view kText =
    R"({ "a": [ 1.0, { "b/c": "x" , "~": 12345678901234567 } ], "d\"e": null, "": 2, "a": [true, [3]] })";

TEST(JsonPointer, SelectsPartsAsTheyAreWritten) {
  EXPECT_EQ(SelectJson("[1.0, 2]", ""), "[1.0,2]");
  EXPECT_EQ(SelectJson("[1.0, 2]", "/0"), "1.0");
  EXPECT_EQ(SelectJson(kText, "/a/1/0"), "3");  // the last of two members with one name
  EXPECT_EQ(SelectJson(kText, "/d\"e"), "null");
  EXPECT_EQ(SelectJson(kText, "/"), "2");
  EXPECT_EQ(SelectJson(R"({"b/c":{"~":"x"}})", "/b~1c/~0"), "\"x\"");
}

TEST(JsonPointer, LeadsNowhereInOtherTexts) {
  for (const std::string_view pointer :
       {"a", "/x", "/a/2", "/a/-", "/a/00", "/a/0/0", "/a/1x", "/a/", "/a/99999999999999999999"})
    EXPECT_FALSE(SelectJson(kText, pointer)) << pointer;
  EXPECT_FALSE(SelectJson("not json", ""));
}

}  // namespace
}  // namespace isobox
