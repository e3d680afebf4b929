#include "native/core/latency_histogram.h"

#include <bit>
#include <cmath>

namespace isobox {

// Values below kStepsPerOctave have a bucket each; above, each power of two is split evenly.
size_t LatencyHistogram::BucketOf(uint64_t us) {
  if (us < kStepsPerOctave) return static_cast<size_t>(us);
  const size_t octave = static_cast<size_t>(std::bit_width(us)) - 1;
  const size_t shift = octave - (std::bit_width(kStepsPerOctave) - 1);
  const size_t step = static_cast<size_t>(us >> shift) - kStepsPerOctave;
  return (shift + 1) * kStepsPerOctave + step;
}

uint64_t LatencyHistogram::UpperBound(size_t bucket) {
  if (bucket < kStepsPerOctave) return bucket;
  const size_t shift = bucket / kStepsPerOctave - 1;
  const uint64_t step = bucket % kStepsPerOctave + kStepsPerOctave;
  return ((step + 1) << shift) - 1;
}

void LatencyHistogram::Record(uint64_t us) {
  buckets_.at(BucketOf(us)) += 1;
  count_ += 1;
}

uint64_t LatencyHistogram::Percentile(double fraction) const {
  if (count_ == 0) return 0;
  const auto rank = static_cast<uint64_t>(std::ceil(fraction * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += buckets_.at(bucket);
    if (seen >= rank && seen > 0) return UpperBound(bucket);
  }
  return UpperBound(kBuckets - 1);
}

}  // namespace isobox
