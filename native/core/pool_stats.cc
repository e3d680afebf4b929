#include "native/core/pool_stats.h"

namespace isobox {

void RunTotals::Add(const SettledFacts& facts) {
  outcomes_.at(static_cast<size_t>(facts.cause)) += 1;
  calls_ += facts.calls;
  call_bytes_ += facts.call_bytes;
  latencies_.Record(facts.wall_us);
}

void RunTotals::Fill(PoolStats& stats) const {
  stats.calls = calls_;
  stats.call_bytes = call_bytes_;
  stats.outcomes = outcomes_;
  stats.latency_p50_us = latencies_.Percentile(0.50);
  stats.latency_p95_us = latencies_.Percentile(0.95);
  stats.latency_p99_us = latencies_.Percentile(0.99);
}

}  // namespace isobox
