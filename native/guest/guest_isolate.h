#pragma once
// One v8::Isolate with one context: creation ahead of need, memory limit, disposal in order.

#include <atomic>
#include <chrono>
#include <memory>

#include "native/core/guest.h"
#include "native/core/stop_cause.h"
#include "native/guest/guest_scope.h"
#include "native/guest/memory_meter.h"
#include "v8.h"

namespace isobox {

class CallBridge;
class GuestConsole;
class GuestModules;

// Told when V8 meets the end of what this isolate may use. On the thread that runs the guest.
class GuestWarden {
 public:
  GuestWarden() = default;
  GuestWarden(const GuestWarden&) = delete;
  GuestWarden& operator=(const GuestWarden&) = delete;
  virtual ~GuestWarden() = default;
  virtual void OnOverLimit() = 0;
  [[noreturn]] virtual void OnFatal(StopCause cause) = 0;
};

class GuestIsolate {
 public:
  // Semi-spaces grow with use up to a third of this.
  static constexpr size_t kMaxYoungBytes = 12U << 20U;
  // No run may ask for more.
  static constexpr size_t kMaxOldBytes = size_t{4} << 30U;

  // Makes an isolate and a context, without limits yet. Any thread.
  explicit GuestIsolate(Readiness readiness);
  GuestIsolate(const GuestIsolate&) = delete;
  GuestIsolate& operator=(const GuestIsolate&) = delete;
  // No thread may be inside.
  ~GuestIsolate();

  // From the isolate of the calling thread.
  static GuestIsolate* Current();
  // Gives up the calling thread if it is running a guest; else returns.
  static void AbandonThreadOfGuest();

  v8::Isolate* isolate() const { return isolate_; }
  const v8::Global<v8::Context>& context() const { return context_; }
  MemoryMeter& meter() { return *meter_; }
  const std::shared_ptr<MemoryMeter>& shared_meter() const { return meter_; }

  // Sets the limit for heap and ArrayBuffers together; `warden` outlives the isolate.
  void Limit(const GuestScope& scope, uint64_t bytes, GuestWarden& warden);

  // Looks at the heap now and tells the warden when it is over the limit even without its garbage.
  // The calling thread has entered the isolate.
  void CheckMemory();
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
  void ReportOverLimit();
  void HoldIfGrowing();

  std::shared_ptr<MemoryMeter> meter_;  // shared with V8, whose buffers may outlive the isolate
  v8::Isolate* isolate_ = nullptr;
  v8::Global<v8::Context> context_;
  GuestWarden* warden_ = nullptr;
  std::atomic<bool> is_sampling_{false};
  bool is_over_limit_ = false;
  uint64_t bytes_when_over_ = 0;
  Clock::time_point next_check_;
  Parts parts_;
};

}  // namespace isobox
