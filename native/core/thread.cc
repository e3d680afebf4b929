#include "native/core/thread.h"

#include <memory>
#include <utility>

#include "native/core/system.h"

namespace isobox {
namespace {

struct Launch {
  const char* name;
  std::function<void()> body;
  std::shared_ptr<std::atomic<int>> system_id;
};

void* RunThread(void* argument) {
  const std::unique_ptr<Launch> launch(static_cast<Launch*>(argument));
  system::NameThisThread(launch->name);
  *launch->system_id = system::ThisThreadId();
  launch->body();
  return nullptr;
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
  if (const int id = *system_id_) system::LowerPriority(id);
}

uint64_t Thread::CpuTimeUs() const { return system::CpuTimeUs(handle_); }

uint64_t ThisThreadCpuTimeUs() { return system::CpuTimeUs(pthread_self()); }

}  // namespace isobox
