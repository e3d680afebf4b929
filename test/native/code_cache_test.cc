#include "native/core/code_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace isobox {
namespace {

constexpr size_t kRoom = 1024 * 1024;
const std::vector<uint8_t> kCode = {1, 2, 3};

CodeCache::Unit Module(std::string_view source, std::string_view filename = "main.js") {
  return {SourceKind::kModule, filename, source};
}

TEST(CodeCache, WantsCodeOfWhatIsAskedForTwice) {
  CodeCache cache(kRoom);
  const auto first = cache.Find(Module("a"));
  EXPECT_EQ(first.code, nullptr);
  EXPECT_FALSE(first.is_wanted);
  EXPECT_TRUE(cache.Find(Module("a")).is_wanted);
  EXPECT_TRUE(cache.Find(Module("a")).is_wanted);
}

TEST(CodeCache, GivesTheCodeOfTheSameUnitAlone) {
  CodeCache cache(kRoom);
  cache.Put(Module("a"), kCode);
  const auto found = cache.Find(Module("a"));
  ASSERT_NE(found.code, nullptr);
  EXPECT_EQ(*found.code, kCode);
  EXPECT_FALSE(found.is_wanted);
  EXPECT_EQ(cache.Find(Module("b")).code, nullptr);
  EXPECT_EQ(cache.Find(Module("a", "other.js")).code, nullptr);
  EXPECT_EQ(cache.Find({SourceKind::kScript, "main.js", "a"}).code, nullptr);
}

TEST(CodeCache, KeepsWhatWasPutLast) {
  CodeCache cache(kRoom);
  cache.Put(Module("a"), kCode);
  const size_t bytes = cache.bytes();
  cache.Put(Module("a"), {4, 5, 6});
  EXPECT_EQ(*cache.Find(Module("a")).code, (std::vector<uint8_t>{4, 5, 6}));
  EXPECT_EQ(cache.bytes(), bytes);
}

TEST(CodeCache, CodeOutlivesItsPlace) {
  CodeCache cache(kRoom);
  cache.Put(Module("a"), kCode);
  const auto found = cache.Find(Module("a"));
  cache.Put(Module("a"), {});
  EXPECT_EQ(*found.code, kCode);
}

TEST(CodeCache, DropsWhatWasAskedForLeastRecently) {
  CodeCache cache(4096);
  const std::string a(1000, 'a');
  const std::string b(1000, 'b');
  const std::string c(1000, 'c');
  cache.Put(Module(a), kCode);
  cache.Put(Module(b), kCode);
  cache.Put(Module(c), kCode);
  EXPECT_NE(cache.Find(Module(a)).code, nullptr);
  cache.Put(Module("d"), std::vector<uint8_t>(1000));
  EXPECT_LE(cache.bytes(), 4096U);
  EXPECT_NE(cache.Find(Module(a)).code, nullptr);
  EXPECT_EQ(cache.Find(Module(b)).code, nullptr);
}

TEST(CodeCache, DoesNotKeepWhatIsLargerThanTheBound) {
  CodeCache cache(4096);
  cache.Put(Module("a"), kCode);
  cache.Put(Module("b"), std::vector<uint8_t>(5000));
  EXPECT_NE(cache.Find(Module("a")).code, nullptr);
  EXPECT_EQ(cache.Find(Module("b")).code, nullptr);
}

TEST(CodeCache, StaysWithinItsBoundWhateverIsAskedFor) {
  CodeCache cache(4096);
  for (int i = 0; i < 1000; ++i) {
    cache.Find(Module(std::to_string(i)));
    ASSERT_LE(cache.bytes(), 4096U);
  }
}

TEST(CodeCache, ServesThreadsAtOnce) {
  CodeCache cache(4096);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache] {
      for (int i = 0; i < 2000; ++i) {
        const std::string source = std::to_string(i % 20);
        const auto found = cache.Find(Module(source));
        if (found.code) {
          EXPECT_EQ(found.code->size(), source.size());
        } else if (found.is_wanted) {
          cache.Put(Module(source), std::vector<uint8_t>(source.begin(), source.end()));
        }
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_LE(cache.bytes(), 4096U);
}

}  // namespace
}  // namespace isobox
