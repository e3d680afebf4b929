#pragma once
// A thread with an explicit stack size, whose creation can fail, and which can be left behind.

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace isobox {

class Thread {
 public:
  Thread() = default;
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  // The owner joins or detaches first.
  ~Thread() = default;

  // False when the system has no room for another thread.
  [[nodiscard]] bool TryStart(const char* name, size_t stack_bytes, std::function<void()> body);

  // Both do nothing when the thread never started or was joined or detached before.
  void Join();
  void Detach();

  // Lets others go first. Not without end: it may hold a lock that they need. Any thread; for good,
  // since raising it again takes privileges.
  void LowerPriority() const;

  // CPU time used so far by this thread, in microseconds; 0 when it cannot be read.
  uint64_t CpuTimeUs() const;

 private:
  pthread_t handle_{};
  bool is_joinable_ = false;
  // Known once the thread runs; shared with the thread, which may outlive this.
  std::shared_ptr<std::atomic<int>> system_id_ = std::make_shared<std::atomic<int>>(0);
};

// CPU time of the calling thread in microseconds.
uint64_t ThisThreadCpuTimeUs();

}  // namespace isobox
