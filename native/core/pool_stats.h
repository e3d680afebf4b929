#pragma once
// What a pool tells of itself: what is going on now, and what its runs have come to so far.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "native/core/latency_histogram.h"
#include "native/core/run_ledger.h"
#include "native/core/stop_cause.h"

namespace isobox {

// Of a pool whose guests have processes of their own.
struct ProcessStats {
  size_t count = 0;
  size_t forked = 0;     // of these, with isolates that were ready before
  uint64_t started = 0;  // ever
  // What the kernel keeps them from, by name.
  std::vector<std::string> locks;
};

struct PoolStats {
  size_t threads = 0;
  size_t running = 0;
  size_t parked = 0;
  size_t queued = 0;
  size_t warm = 0;
  size_t stuck = 0;
  uint64_t calls = 0;
  uint64_t call_bytes = 0;
  std::array<uint64_t, kStopCauseCount> outcomes{};
  uint64_t latency_p50_us = 0;
  uint64_t latency_p95_us = 0;
  uint64_t latency_p99_us = 0;
  std::optional<ProcessStats> processes;
};

// Sums over the runs that have ended. Not thread-safe: the owner guards it.
class RunTotals {
 public:
  void Add(const SettledFacts& facts);
  void Fill(PoolStats& stats) const;

 private:
  uint64_t calls_ = 0;
  uint64_t call_bytes_ = 0;
  std::array<uint64_t, kStopCauseCount> outcomes_{};
  LatencyHistogram latencies_;
};

}  // namespace isobox
