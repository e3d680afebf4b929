#include "native/core/descriptor_seal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>

namespace isobox {
namespace {

bool IsInherited(int descriptor) { return (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) == 0; }

// Opened for a test, at the number that it is asked for.
class Descriptor {
 public:
  Descriptor(int number, int flags) : number_(number) {
    const int opened = open("/dev/null", O_RDONLY | flags);
    EXPECT_EQ(dup3(opened, number, flags), number);
    close(opened);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(number_); }

 private:
  const int number_;
};

TEST(DescriptorSeal, KeepsDescriptorsFromBeingInheritedWhileItLives) {
  const Descriptor low(20, 0);
  const Descriptor high(200, 0);
  {
    const DescriptorSeal seal;
    EXPECT_FALSE(IsInherited(20));
    EXPECT_FALSE(IsInherited(200));
    EXPECT_TRUE(IsInherited(STDOUT_FILENO));
  }
  EXPECT_TRUE(IsInherited(20));
  EXPECT_TRUE(IsInherited(200));
}

TEST(DescriptorSeal, LeavesThoseAloneThatAreNotInheritedAnyway) {
  const Descriptor closed_on_exec(21, O_CLOEXEC);
  { const DescriptorSeal seal; }
  EXPECT_FALSE(IsInherited(21));
}

TEST(DescriptorSeal, LivesWithDescriptorsThatAreClosedMeanwhile) {
  std::optional<Descriptor> brief(std::in_place, 22, 0);
  {
    const DescriptorSeal seal;
    brief.reset();
  }
  EXPECT_EQ(fcntl(22, F_GETFD), -1);
}

TEST(DescriptorSeal, LeavesNoDescriptorOfItsOwn) {
  const int before = dup(STDIN_FILENO);
  close(before);
  { const DescriptorSeal seal; }
  const int after = dup(STDIN_FILENO);
  close(after);
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace isobox
