#include "native/core/system.h"

#include <unistd.h>

#ifdef __APPLE__
#include <mach/mach.h>
#include <malloc/malloc.h>
#else
#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>

#include <array>
#include <charconv>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#endif

namespace isobox::system {

#ifdef __APPLE__

void NameThisThread(const char* name) { pthread_setname_np(name); }

int ThisThreadId() { return 0; }

void LowerPriority(int /*thread_id*/) {}

uint64_t CpuTimeUs(pthread_t thread) {
  thread_basic_info_data_t info{};
  mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
  if (thread_info(pthread_mach_thread_np(thread), THREAD_BASIC_INFO,
                  reinterpret_cast<thread_info_t>(&info), &count) != KERN_SUCCESS) {
    return 0;
  }
  const auto micros = [](const time_value_t& time) {
    return static_cast<uint64_t>(time.seconds) * 1000000U +
           static_cast<uint64_t>(time.microseconds);
  };
  return micros(info.user_time) + micros(info.system_time);
}

size_t AllocatedBytes(void* memory) { return malloc_size(memory); }

void ReturnFreedMemory() { malloc_zone_pressure_relief(nullptr, 0); }

uint64_t ResidentBytes() {
  mach_task_basic_info_data_t info{};
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  if (task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&info),
                &count) != KERN_SUCCESS) {
    return 0;
  }
  return info.resident_size;
}

uint64_t TouchedBytes() { return 0; }

#else

namespace {

uint64_t PageBytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

void NameThisThread(const char* name) { pthread_setname_np(pthread_self(), name); }

int ThisThreadId() { return gettid(); }

void LowerPriority(int thread_id) {
  constexpr int kLowest = 19;
  setpriority(PRIO_PROCESS, static_cast<id_t>(thread_id), kLowest);
}

uint64_t CpuTimeUs(pthread_t thread) {
  clockid_t clock{};
  timespec time{};
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<uint64_t>(time.tv_sec) * 1000000U +
         static_cast<uint64_t>(time.tv_nsec) / 1000U;
}

size_t AllocatedBytes(void* memory) { return malloc_usable_size(memory); }

void ReturnFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

uint64_t ResidentBytes() {
  // Opened each time: one that stays open is the host's to pay for, and may be closed by others.
  const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (statm < 0) return 0;
  std::array<char, 128> text{};
  const ssize_t length = read(statm, text.data(), text.size());
  close(statm);
  if (length <= 0) return 0;
  // The second number, in pages.
  const std::string_view line(text.data(), static_cast<size_t>(length));
  const size_t start = line.find(' ') + 1;
  uint64_t pages = 0;
  std::from_chars(line.data() + start, line.data() + line.size(), pages);
  return pages * PageBytes();
}

uint64_t TouchedBytes() {
  static const bool has_huge_pages = [] {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string modes;
    std::getline(file, modes);
    return modes.find("[always]") != std::string::npos;
  }();
  rusage usage{};
  if (has_huge_pages || getrusage(RUSAGE_THREAD, &usage) != 0) return 0;
  return static_cast<uint64_t>(usage.ru_minflt) * PageBytes();
}

#endif

}  // namespace isobox::system
