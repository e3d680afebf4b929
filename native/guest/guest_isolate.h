#pragma once
// One v8::Isolate with one context: creation ahead of need, memory limit, disposal in order.

#include <atomic>
#include <chrono>
#include <memory>

#include "native/core/guest.h"
#include "native/core/stop_cause.h"
#include "native/guest/guest_scope.h"
#include "native/guest/json_watch.h"
#include "native/guest/memory_meter.h"
#include "v8.h"

namespace isobox {

class CallBridge;
class GuestConsole;
class GuestLibrary;
class GuestModules;

class GuestIsolate {
 public:
  // Semi-spaces grow with use up to a third of this.
  static constexpr size_t kMaxYoungBytes = 12U << 20U;
  // No run may ask for more.
  static constexpr size_t kMaxOldBytes = size_t{4} << 30U;

  // Makes an isolate and a context, without limits yet. Any thread.
  GuestIsolate();
  GuestIsolate(const GuestIsolate&) = delete;
  GuestIsolate& operator=(const GuestIsolate&) = delete;
  // No thread may be inside.
  ~GuestIsolate();

  // From the isolate of the calling thread.
  static GuestIsolate* Current();
  // The calling thread is lost if it is running a guest; else returns.
  static void LoseThreadOfGuest();

  v8::Isolate* isolate() const { return isolate_; }
  const v8::Global<v8::Context>& context() const { return context_; }
  MemoryMeter& meter() { return *meter_; }
  const std::shared_ptr<MemoryMeter>& shared_meter() const { return meter_; }
  JsonWatch& json() { return json_; }

  // Sets the limit for heap and ArrayBuffers together. What happens at its end is the run's: both
  // outlive the isolate.
  void Limit(const GuestScope& scope, uint64_t bytes, RunLedger& ledger, GuestOwner& owner);

  // Looks at the heap now and stops the run when it is over the limit even without its garbage.
  // The calling thread has entered the isolate.
  void CheckMemory();
  // Ends the run for its memory, before V8 does what would take too much. The calling thread has
  // entered the isolate.
  void ReportOverLimit();
  // The same in a function that the guest has called, which it does not come back from.
  void Refuse();
  // Whether the last look is so long ago that a guest which is about to wait should be looked at.
  bool IsCheckDue() const { return Clock::now() >= next_check_; }
  // Has the running guest do that soon. Any thread.
  void SampleMemory();

  // The parts of the run that V8's callbacks lead back to; null outside a turn.
  struct Parts {
    const GuestScope* scope = nullptr;
    CallBridge* bridge = nullptr;
    GuestConsole* console = nullptr;
    GuestModules* modules = nullptr;
    GuestLibrary* library = nullptr;
  };
  void set_parts(Parts parts);
  const Parts& parts() const { return parts_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kCheckInterval{1};

  static size_t OnNearHeapLimit(void* data, size_t current_limit, size_t initial_limit);
  static void OnGarbageCollected(v8::Isolate* isolate, v8::GCType type, v8::GCCallbackFlags flags,
                                 void* data);
  static void OnRefusal(void* data);
  static void OnSample(v8::Isolate* isolate, void* data);
  static void OnFatalError(const char* location, const char* message);
  static void OnOutOfMemory(const char* location, const v8::OOMDetails& details);

  void MeasureHeap();
  // Returns only while there is no run.
  void LoseThread(StopCause cause);
  void HoldIfGrowing();

  std::shared_ptr<MemoryMeter> meter_;  // shared with V8, whose buffers may outlive the isolate
  v8::Isolate* isolate_ = nullptr;
  v8::Global<v8::Context> context_;
  JsonWatch json_;
  RunLedger* ledger_ = nullptr;
  GuestOwner* owner_ = nullptr;
  std::atomic<bool> is_sampling_{false};
  bool is_over_limit_ = false;
  uint64_t bytes_when_over_ = 0;
  Clock::time_point next_check_;
  Parts parts_;
};

}  // namespace isobox
