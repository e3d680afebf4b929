#pragma once
// A thread with an explicit stack size, whose creation can fail, and which can be left behind.

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <functional>

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
  // As TryStart, for threads nothing works without: retries for a while before giving up.
  void Start(const char* name, size_t stack_bytes, const std::function<void()>& body);

  // Both do nothing when the thread never started or was joined or detached before.
  void Join();
  void Detach();

  // Lets the thread run only when no other wants the processor. Any thread.
  void Demote() const;

  // CPU time used so far by this thread, in microseconds; 0 when it cannot be read.
  uint64_t CpuTimeUs() const;

 private:
  pthread_t handle_{};
  bool is_joinable_ = false;
};

// CPU time of the calling thread in microseconds.
uint64_t ThisThreadCpuTimeUs();

}  // namespace isobox
