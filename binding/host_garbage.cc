#include "binding/host_garbage.h"

#include <algorithm>

#include "native/values/v8_api.h"

namespace isobox {
namespace {

struct Rebuilt {
  v8::Isolate* isolate = nullptr;
  uint64_t bytes = 0;  // since the last full collection, as far as can be told
};
thread_local Rebuilt rebuilt;  // an environment has one thread and one isolate

void OnCollected(v8::Isolate* /*isolate*/, v8::GCType /*type*/, v8::GCCallbackFlags /*flags*/) {
  rebuilt.bytes = 0;
}

// A collection looks at all that lives, so a large heap is looked at less often.
uint64_t MostRebuilt(v8::Isolate* isolate) {
  constexpr uint64_t kLeast = uint64_t{32} << 20U;
  constexpr uint64_t kShare = 4;
  v8::HeapStatistics heap;
  isolate->GetHeapStatistics(&heap);
  return std::max<uint64_t>(kLeast, heap.used_heap_size() / kShare);
}

// Has V8 start a full collection in the background and in small steps.
void StartCollecting(v8::Isolate* isolate) {
  // V8 starts when so much has come outside its heap. Its notification of memory pressure would do,
  // but that also moves objects together, which holds the thread for much longer.
  constexpr int64_t kEnough = int64_t{65} << 20U;
  v8_api::ReportExternalMemory(isolate, kEnough);
  v8_api::ReportExternalMemory(isolate, -kEnough);
}

}  // namespace

void NoteRebuilt(v8::Isolate* isolate, uint64_t bytes) {
  // Small values are young garbage, which V8 sees to by itself.
  constexpr uint64_t kWorthCounting = uint64_t{32} << 10U;
  if (bytes < kWorthCounting) return;
  if (rebuilt.isolate != isolate) {
    isolate->AddGCEpilogueCallback(OnCollected, v8::kGCTypeMarkSweepCompact);
    rebuilt = {.isolate = isolate};
  }
  rebuilt.bytes += bytes;
  if (rebuilt.bytes < MostRebuilt(isolate)) return;
  rebuilt.bytes = 0;
  StartCollecting(isolate);
}

void CollectYoungIfDue(v8::Isolate* isolate) {
  static_cast<void>(v8::ArrayBuffer::NewBackingStore(isolate, 1));
}

}  // namespace isobox
