#include "native/process/zygote.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace isobox {
namespace {

TEST(Zygote, RehearsesInTwoProcesses) {
  const auto answers = zygote::Rehearse([] { return std::to_string(getpid()); });
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_NE(answers[0], answers[1]);
  EXPECT_NE(answers[0], std::to_string(getpid()));
}

TEST(Zygote, SaysWhenARehearsalFails) {
  EXPECT_TRUE(zygote::Rehearse([]() -> std::string { _exit(3); }).empty());
}

}  // namespace
}  // namespace isobox
