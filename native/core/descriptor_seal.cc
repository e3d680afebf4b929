#include "native/core/descriptor_seal.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace isobox {
namespace {

// How far to look where the system does not list descriptors.
constexpr int kMostDescriptors = 1 << 16;

std::vector<int> OpenDescriptors() {
  std::vector<int> descriptors;
  // Linux lists them in /proc/self/fd, which /dev/fd leads to; others have /dev/fd alone.
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) directory = opendir("/dev/fd");
  if (directory == nullptr) {
    const auto most = std::min<long>(sysconf(_SC_OPEN_MAX), kMostDescriptors);
    for (int descriptor = 0; descriptor < most; ++descriptor)
      descriptors.push_back(descriptor);
    return descriptors;
  }
  while (const dirent* const entry = readdir(directory))
    descriptors.push_back(std::atoi(entry->d_name));  // 0 for the directory itself and its parent
  closedir(directory);
  return descriptors;
}

}  // namespace

DescriptorSeal::DescriptorSeal() {
  for (const int descriptor : OpenDescriptors()) {
    if (descriptor <= STDERR_FILENO) continue;
    const int flags = fcntl(descriptor, F_GETFD);
    if (flags < 0 || (flags & FD_CLOEXEC) != 0) continue;
    if (fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) == 0) sealed_.push_back(descriptor);
  }
}

DescriptorSeal::~DescriptorSeal() {
  for (const int descriptor : sealed_) {
    const int flags = fcntl(descriptor, F_GETFD);
    if (flags >= 0) fcntl(descriptor, F_SETFD, flags & ~FD_CLOEXEC);
  }
}

}  // namespace isobox
