#pragma once
// Counts a guest's heap, its ArrayBuffers and what ICU holds for it together against its limit, and
// says when it is over. ArrayBuffers are counted here as V8's allocator; the rest is reported.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "native/values/value_codec.h"
#include "v8.h"

namespace isobox {

// Free may run on V8's background threads; everything else on the thread that entered the isolate.
class MemoryMeter final : public v8::ArrayBuffer::Allocator, public MemoryAccount {
 public:
  void* Allocate(size_t length) override;
  void* AllocateUninitialized(size_t length) override;
  void Free(void* data, size_t length) override;
#if V8_MAJOR_VERSION < 13
  void* Reallocate(void* data, size_t old_length, size_t new_length) override;
#endif

  // Bytes of all kinds together that the guest may hold.
  void set_limit(uint64_t limit) { limit_ = limit; }
  uint64_t limit() const { return limit_; }

  // Called with the heap's size, and with what V8's compilers hold outside it, whenever they are
  // known afresh.
  void ReportHeap(uint64_t used, uint64_t compilers);

  // Memory that V8 does not know of. It may be given back by another guest than took it.
  void ReportNative(int64_t change) override {
    native_.fetch_add(change, std::memory_order_relaxed);
  }

  uint64_t InUse() const {
    const int64_t native = std::max<int64_t>(0, native_.load(std::memory_order_relaxed));
    return buffers_.load(std::memory_order_relaxed) + heap_.load(std::memory_order_relaxed) +
           static_cast<uint64_t>(native);
  }
  // Compilers give back what they hold when they are done, so they may hold as much again.
  bool IsOverLimit() const {
    return InUse() > limit_ ||
           compilers_.load(std::memory_order_relaxed) > std::max(limit_, kCompilerBytes);
  }
  // True when the last allocation asked for was refused: V8 collects garbage and asks again before
  // it gives up, so a refusal only counts once no later attempt has succeeded.
  bool WasRefused() const { return was_refused_.load(std::memory_order_relaxed); }
  uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }

  // Runs on the guest's thread when an allocation is refused; set once, before the guest runs.
  using RefusalCallback = void (*)(void* data);
  void OnRefusal(RefusalCallback callback, void* data) {
    on_refusal_ = callback;
    refusal_data_ = data;
  }

 private:
  // Of what ordinary programs need, a multiple.
  static constexpr uint64_t kCompilerBytes = uint64_t{64} << 20U;

  bool Reserve(size_t length);
  void NotePeak();

  std::atomic<uint64_t> buffers_{0};
  std::atomic<uint64_t> heap_{0};
  std::atomic<uint64_t> compilers_{0};
  std::atomic<int64_t> native_{0};
  std::atomic<uint64_t> peak_{0};
  std::atomic<bool> was_refused_{false};
  uint64_t limit_ = UINT64_MAX;
  RefusalCallback on_refusal_ = nullptr;
  void* refusal_data_ = nullptr;
};

}  // namespace isobox
