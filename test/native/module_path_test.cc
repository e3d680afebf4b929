#include "native/core/module_path.h"

#include <gtest/gtest.h>

namespace isobox {
namespace {

TEST(ModulePath, RelativeSpecifiersStartWithADot) {
  EXPECT_TRUE(IsRelativeSpecifier("./a.js"));
  EXPECT_TRUE(IsRelativeSpecifier("../a.js"));
  EXPECT_FALSE(IsRelativeSpecifier("a.js"));
  EXPECT_FALSE(IsRelativeSpecifier("/a.js"));
  EXPECT_FALSE(IsRelativeSpecifier(".a.js"));
  EXPECT_FALSE(IsRelativeSpecifier("..a.js"));
  EXPECT_FALSE(IsRelativeSpecifier(""));
}

TEST(ModulePath, ResolvesAgainstTheImportersFolder) {
  EXPECT_EQ(ResolvePath("main.js", "./a.js"), "a.js");
  EXPECT_EQ(ResolvePath("lib/main.js", "./a.js"), "lib/a.js");
  EXPECT_EQ(ResolvePath("lib/main.js", "../a.js"), "a.js");
  EXPECT_EQ(ResolvePath("lib/deep/main.js", "../other/a.js"), "lib/other/a.js");
  EXPECT_EQ(ResolvePath("", "./a.js"), "a.js");
}

TEST(ModulePath, NormalizesDotsAndSlashes) {
  EXPECT_EQ(ResolvePath("main.js", "././/a//./b.js"), "a/b.js");
  EXPECT_EQ(ResolvePath("main.js", "./a/../b.js"), "b.js");
  EXPECT_EQ(ResolvePath("main.js", "./..a/b.js"), "..a/b.js");
}

TEST(ModulePath, StaysBelowTheRoot) {
  EXPECT_EQ(ResolvePath("main.js", "../a.js"), std::nullopt);
  EXPECT_EQ(ResolvePath("lib/main.js", "../../a.js"), std::nullopt);
  EXPECT_EQ(ResolvePath("lib/main.js", "../../lib/a.js"), std::nullopt);
  EXPECT_EQ(ResolvePath("main.js", "./a/../../b.js"), std::nullopt);
}

TEST(ModulePath, DoesNotNameTheRoot) {
  EXPECT_EQ(ResolvePath("main.js", "./"), std::nullopt);
  EXPECT_EQ(ResolvePath("lib/main.js", "../"), std::nullopt);
  EXPECT_EQ(ResolvePath("lib/main.js", "./"), "lib");
}

TEST(ModulePath, ExtensionsAreLettersOrDigitsAfterTheLastDot) {
  EXPECT_TRUE(HasExtension("a.js"));
  EXPECT_TRUE(HasExtension("lib/a.min.mjs"));
  EXPECT_TRUE(HasExtension("a.mp3"));
  EXPECT_FALSE(HasExtension("a"));
  EXPECT_FALSE(HasExtension("a."));
  EXPECT_FALSE(HasExtension("lib.d/a"));
  EXPECT_FALSE(HasExtension("a.b-c"));
}

}  // namespace
}  // namespace isobox
