#pragma once
// Why a run ended: a closed list, and the latch that records the first cause. Any thread.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace isobox {

// Adapters map these to the codes of their contracts; nobody reads error text to find them.
enum class StopCause : uint8_t {
  kNone,           // still going
  kFinished,       // the guest came to its end and its result crossed
  kGuestError,     // uncaught throw or rejection in the guest
  kLinkError,      // source does not compile, or an import cannot be resolved or linked
  kSerialization,  // the result is not transferable under the run's value profile
  kDeadline,       // wall clock
  kCpu,            // thread CPU time of the guest alone
  kMemory,         // V8 heap and ArrayBuffers together
  kCalls,          // call budget: count or bytes, in flight or in all
  kOutput,         // the result is larger than allowed
  kTerminated,     // the caller asked for it
  kQueueFull,      // refused before it started
  kExhausted,      // no thread is left to run it
  kDisposed,       // the pool was closed
  kCrashed,        // V8 reported a fatal error in this isolate
};

inline constexpr size_t kStopCauseCount = static_cast<size_t>(StopCause::kCrashed) + 1;

// Whether a run was ended from outside, rather than by its own end: its calls under way are no
// longer wanted.
bool WasStopped(StopCause cause);

// The public name of a cause, as in the outcome's `cause`.
std::string_view StopCauseName(StopCause cause);

// Records the first cause and ignores later ones.
class StopLatch {
 public:
  // True for the one caller whose cause was recorded.
  bool Trip(StopCause cause) {
    StopCause expected = StopCause::kNone;
    return cause_.compare_exchange_strong(expected, cause, std::memory_order_acq_rel);
  }
  StopCause cause() const { return cause_.load(std::memory_order_acquire); }
  bool tripped() const { return cause() != StopCause::kNone; }

 private:
  std::atomic<StopCause> cause_{StopCause::kNone};
};

}  // namespace isobox
