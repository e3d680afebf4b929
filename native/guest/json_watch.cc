#include "native/guest/json_watch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

#include "native/guest/json_cost.h"

namespace isobox {
namespace {

uint64_t PageBytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Of this process; 0 where the system does not say.
uint64_t ResidentBytes() {
  // Opened each time: one that stays open is the host's to pay for, and may be closed by others.
  const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (statm < 0) return 0;
  std::array<char, 128> text{};
  const ssize_t length = read(statm, text.data(), text.size());
  close(statm);
  if (length <= 0) return 0;
  // The second number, in pages.
  const std::string_view line(text.data(), static_cast<size_t>(length));
  const size_t start = line.find(' ') + 1;
  uint64_t pages = 0;
  std::from_chars(line.data() + start, line.data() + line.size(), pages);
  return pages * PageBytes();
}

// Bytes in the pages that the calling thread was the first to touch, ever. 0 where one page may be
// a huge one, so that they say nothing.
uint64_t TouchedBytes() {
  static const bool has_huge_pages = [] {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string modes;
    std::getline(file, modes);
    return modes.find("[always]") != std::string::npos;
  }();
  rusage usage{};
  if (has_huge_pages || getrusage(RUSAGE_THREAD, &usage) != 0) return 0;
  return static_cast<uint64_t>(usage.ru_minflt) * PageBytes();
}

}  // namespace

JsonWatch::Footprint JsonWatch::Measure(v8::Isolate* isolate) {
  v8::HeapStatistics statistics;
  isolate->GetHeapStatistics(&statistics);
  return {ResidentBytes(), statistics.total_heap_size(), TouchedBytes()};
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
