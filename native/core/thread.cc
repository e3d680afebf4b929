#include "native/core/thread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <memory>
#include <utility>

namespace isobox {
namespace {

struct Launch {
  const char* name;
  std::function<void()> body;
  std::shared_ptr<std::atomic<int>> system_id;
};

void* RunThread(void* argument) {
  const std::unique_ptr<Launch> launch(static_cast<Launch*>(argument));
#ifdef __linux__
  pthread_setname_np(pthread_self(), launch->name);
  *launch->system_id = gettid();
#endif
  launch->body();
  return nullptr;
}

uint64_t ReadClockUs(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<uint64_t>(time.tv_sec) * 1000000U +
         static_cast<uint64_t>(time.tv_nsec) / 1000U;
}

}  // namespace

bool Thread::TryStart(const char* name, size_t stack_bytes, std::function<void()> body) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, stack_bytes);
  auto launch = std::make_unique<Launch>(Launch{name, std::move(body), system_id_});
  is_joinable_ = pthread_create(&handle_, &attributes, RunThread, launch.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (is_joinable_) static_cast<void>(launch.release());
  return is_joinable_;
}

void Thread::Join() {
  if (std::exchange(is_joinable_, false)) pthread_join(handle_, nullptr);
}

void Thread::Detach() {
  if (std::exchange(is_joinable_, false)) pthread_detach(handle_);
}

void Thread::LowerPriority() const {
#ifdef __linux__
  constexpr int kLowest = 19;
  if (const int id = *system_id_) setpriority(PRIO_PROCESS, static_cast<id_t>(id), kLowest);
#endif
}

uint64_t Thread::CpuTimeUs() const {
  clockid_t clock{};
  if (pthread_getcpuclockid(handle_, &clock) != 0) return 0;
  return ReadClockUs(clock);
}

uint64_t ThisThreadCpuTimeUs() { return ReadClockUs(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace isobox
