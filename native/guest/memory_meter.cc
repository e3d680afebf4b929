#include "native/guest/memory_meter.h"

#include <cstdlib>
#include <cstring>

namespace isobox {

bool MemoryMeter::Reserve(size_t length) {
  if (length > limit_ || InUse() > limit_ - length) {
    was_refused_ = true;
    if (on_refusal_ != nullptr) on_refusal_(refusal_data_);
    return false;
  }
  was_refused_ = false;
  buffers_ += length;
  NotePeak();
  return true;
}

void MemoryMeter::NotePeak() {
  const uint64_t now = InUse();
  if (now > peak_.load(std::memory_order_relaxed)) peak_ = now;
}

void MemoryMeter::ReportHeap(uint64_t used, uint64_t compilers) {
  heap_ = used;
  compilers_ = compilers;
  NotePeak();
}

void* MemoryMeter::Allocate(size_t length) {
  if (!Reserve(length)) return nullptr;
  void* data = std::calloc(length > 0 ? length : 1, 1);
  if (data == nullptr) buffers_ -= length;
  return data;
}

void* MemoryMeter::AllocateUninitialized(size_t length) { return Allocate(length); }

void MemoryMeter::Free(void* data, size_t length) {
  std::free(data);
  buffers_ -= length;
}

#if V8_MAJOR_VERSION < 13
void* MemoryMeter::Reallocate(void* data, size_t old_length, size_t new_length) {
  void* const grown = Allocate(new_length);
  if (grown == nullptr) return nullptr;
  std::memcpy(grown, data, old_length < new_length ? old_length : new_length);
  Free(data, old_length);
  return grown;
}
#endif

}  // namespace isobox
