#pragma once
// Which threads look for work by themselves, and which have to be woken for it. Any thread, except
// where noted.
//
// While a thread sleeps, every runnable run has a thread that is about to take it:
// 1. A thread sleeps only after it has found nothing runnable, under the pool's lock.
// 2. Whoever adds a run, under that lock, wakes a sleeper unless at least as many threads look by
//    themselves as runs are runnable. RunQueue alone adds, and always by way of Added.
// 3. A thread that ends its Watch reads the number of runnable runs after that. Either it sees the
//    run that was added and takes one, or whoever added it sees that the watch has ended.

#include <atomic>
#include <condition_variable>
#include <cstddef>

namespace isobox {

class Lookout {
 public:
  // The calling thread takes a run by itself, if there is one when the watch has ended.
  class Watch {
   public:
    explicit Watch(Lookout& lookout) : lookout_(lookout) { lookout_.watching_ += 1; }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { lookout_.watching_ -= 1; }

   private:
    Lookout& lookout_;
  };

  // Both under the pool's lock, with the number of runnable runs after it.
  void Added(size_t runnable) {
    runnable_ = runnable;
    if (runnable > watching_) work_.notify_one();
  }
  void Taken(size_t runnable) { runnable_ = runnable; }

  bool HasRunnable() const { return runnable_ > 0; }

  // Under the pool's lock, which `state` gives up meanwhile.
  template <typename Access>
  void Sleep(Access& state) {
    state.Wait(work_);
  }
  template <typename Access, typename TimePoint>
  void SleepUntil(Access& state, TimePoint when) {
    state.WaitUntil(work_, when);
  }

  // For changes that are no runs.
  void WakeAll() { work_.notify_all(); }

 private:
  // Sequentially consistent, as the third rule needs it.
  std::atomic<size_t> runnable_{0};
  std::atomic<size_t> watching_{0};
  std::condition_variable work_;
};

}  // namespace isobox
