#pragma once
// Latencies in logarithmic buckets (about 4 % wide), for percentiles in constant memory.
// Not thread-safe: the owner guards it.

#include <array>
#include <cstddef>
#include <cstdint>

namespace isobox {

class LatencyHistogram {
 public:
  void Record(uint64_t us);
  uint64_t count() const { return count_; }
  // The upper bound of the bucket that holds the given fraction (0 to 1); 0 when empty.
  uint64_t Percentile(double fraction) const;

 private:
  static constexpr size_t kStepsPerOctave = 16;
  static constexpr size_t kBuckets = 64 * kStepsPerOctave;
  static size_t BucketOf(uint64_t us);
  static uint64_t UpperBound(size_t bucket);

  std::array<uint64_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
};

}  // namespace isobox
