#include "native/process/lock_down.h"

#include <dirent.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "native/process/shared_segment.h"
#include "native/process/syscall_filter.h"

namespace isobox::lock_down {
namespace {

constexpr auto kPrivileges = "no-new-privileges";
constexpr auto kDescriptors = "descriptors";
constexpr auto kLimits = "limits";
constexpr auto kLandlock = "landlock";
constexpr auto kSeccomp = "seccomp";

bool DropPrivileges() {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

// Node's own, for waking its threads: they lead nowhere else.
bool IsNoWayOut(std::string_view target) {
  for (const std::string_view harmless :
       {"anon_inode:[eventfd]", "anon_inode:[eventpoll]", "anon_inode:[timerfd]", "/dev/null"}) {
    if (target == harmless) return true;
  }
  return target.starts_with("pipe:");
}

bool CloseDescriptors(int kept) {
  DIR* const directory = opendir("/proc/self/fd");
  if (directory == nullptr) return false;
  std::vector<int> unwanted;
  while (const dirent* const entry = readdir(directory)) {
    std::array<char, 64> target{};
    const ssize_t length =
        readlinkat(dirfd(directory), entry->d_name, target.data(), target.size());
    if (length < 0) continue;  // the directory itself and its parent
    const int number = std::atoi(entry->d_name);
    if (number == kept || number == dirfd(directory)) continue;
    if (!IsNoWayOut({target.data(), static_cast<size_t>(length)})) unwanted.push_back(number);
  }
  closedir(directory);
  for (const int number : unwanted)
    close(number);
  return true;
}

bool SetLimits() {
  const rlimit none{0, 0};
  return setrlimit(RLIMIT_FSIZE, &none) == 0 && setrlimit(RLIMIT_CORE, &none) == 0 &&
         setrlimit(RLIMIT_NOFILE, &none) == 0;
}

// Later headers name these; their numbers are the same on every processor.
constexpr long kCreateRuleset = 444;
constexpr long kRestrictSelf = 446;

// 0 where the kernel has no Landlock.
int LandlockVersion() {
  constexpr int kAskForVersion = 1;
  const auto version = syscall(kCreateRuleset, nullptr, 0, kAskForVersion);
  return version < 0 ? 0 : static_cast<int>(version);
}

// Handles all that this kernel knows, and permits none of it. Of this thread and those it starts.
bool RestrictPaths() {
  struct {
    uint64_t paths;
    uint64_t ports;   // from version 4 on: binding and connecting
    uint64_t scopes;  // from version 6 on: abstract sockets and signals
  } rules{};
  // How many rights each version knows for paths.
  constexpr std::array<int, 6> kPathRights{0, 13, 14, 15, 15, 16};
  const auto version = static_cast<size_t>(LandlockVersion());
  if (version == 0) return false;
  rules.paths = (uint64_t{1} << kPathRights.at(std::min(version, kPathRights.size() - 1))) - 1;
  size_t size = sizeof rules.paths;
  if (version >= 4) {
    rules.ports = 3;
    size += sizeof rules.ports;
  }
  if (version >= 6) {
    rules.scopes = 3;
    size += sizeof rules.scopes;
  }
  const Descriptor set(static_cast<int>(syscall(kCreateRuleset, &rules, size, 0)));
  return set.IsOpen() && syscall(kRestrictSelf, set.number(), 0) == 0;
}

bool CanFilter() {
#if defined(__x86_64__) || defined(__aarch64__)
  const uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#else
  return false;
#endif
}

// On all threads of the process.
bool FilterCalls() {
  if (!CanFilter()) return false;
  auto program = SyscallFilter();
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

}  // namespace

std::vector<std::string> Available() {
  std::vector<std::string> names{kPrivileges, kDescriptors, kLimits};
  if (LandlockVersion() > 0) names.emplace_back(kLandlock);
  if (CanFilter()) names.emplace_back(kSeccomp);
  return names;
}

std::vector<std::string> Apply(int kept) {
  std::vector<std::string> names;
  if (DropPrivileges()) names.emplace_back(kPrivileges);
  if (CloseDescriptors(kept)) names.emplace_back(kDescriptors);
  if (RestrictPaths()) names.emplace_back(kLandlock);
  if (SetLimits()) names.emplace_back(kLimits);
  if (FilterCalls()) names.emplace_back(kSeccomp);
  return names;
}

}  // namespace isobox::lock_down
