#include "native/guest/json_watch.h"

#include <algorithm>

#include "native/core/system.h"
#include "native/guest/json_cost.h"

namespace isobox {

JsonWatch::Footprint JsonWatch::Measure(v8::Isolate* isolate) {
  v8::HeapStatistics statistics;
  isolate->GetHeapStatistics(&statistics);
  return {system::ResidentBytes(), statistics.total_heap_size(), system::TouchedBytes()};
}

uint64_t JsonWatch::Growth(const Footprint& from, const Footprint& to) {
  const uint64_t in_heap = std::max(to.heap, from.heap) - from.heap;
  const uint64_t grown = std::max(to.resident, from.resident + in_heap) - from.resident - in_heap;
  return to.touched == 0 ? grown : std::min(grown, to.touched - from.touched);
}

JsonWatch::Call::Call(JsonWatch& watch, const Arguments& arguments)
    : watch_(watch), arguments_(arguments) {
  if (watch.call_ != nullptr) return;
  watch.call_ = this;
  watch.was_seen_ = watch.is_known_to_fit_ = false;
}

JsonWatch::Call::~Call() {
  if (watch_.call_ == this) watch_.call_ = nullptr;
}

bool JsonWatch::IsWritingMoreThan(const GuestScope& scope, uint64_t bytes) {
  if (call_ == nullptr || is_known_to_fit_) return false;
  const Footprint now = Measure(scope.isolate());
  if (!was_seen_) {
    was_seen_ = true;
    at_first_ = now;
    return false;
  }
  if (Growth(at_first_, now) <= bytes) return false;
  // Others of this process may have grown meanwhile.
  const auto& [value, replacer, space] = call_->arguments_;
  const auto layout =
      space->IsUndefined() ? json_cost::Layout::kCompact : json_cost::Layout::kIndented;
  is_known_to_fit_ = !replacer->IsFunction() && json_cost::TextFits(scope, value, layout, bytes);
  return !is_known_to_fit_;
}

}  // namespace isobox
