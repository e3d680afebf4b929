#pragma once
// Data that can only be reached while its lock is held. Any thread.

#include <condition_variable>
#include <mutex>
#include <utility>

namespace isobox {

template <typename T>
class Guarded {
 public:
  // The locked view: exists only while the lock is held, so forgetting the lock does not compile.
  class Access {
   public:
    T* operator->() { return value_; }
    T& operator*() { return *value_; }

    // Releases the lock while waiting and holds it again on return.
    void Wait(std::condition_variable& condition) { condition.wait(lock_); }

    // Returns std::cv_status::timeout when the deadline passed first.
    template <typename TimePoint>
    std::cv_status WaitUntil(std::condition_variable& condition, TimePoint deadline) {
      return condition.wait_until(lock_, deadline);
    }

   private:
    friend class Guarded;
    Access(std::mutex& mutex, T* value) : lock_(mutex), value_(value) {}
    std::unique_lock<std::mutex> lock_;
    T* value_;
  };

  Guarded() = default;
  template <typename... Args>
  explicit Guarded(std::in_place_t /*tag*/, Args&&... args) : value_(std::forward<Args>(args)...) {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  [[nodiscard]] Access Lock() { return Access(mutex_, &value_); }

 private:
  std::mutex mutex_;
  T value_{};
};

}  // namespace isobox
