#pragma once
// What a model gets to see of a large output: intent filter, JSON summary, truncation, sizes.
// Standard library and simdjson; any thread, in time and memory that are linear in the output.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "native/output/truncation.h"

namespace isobox {

enum class LargeJson { kSummarize, kKeep };

struct OutputSettings {
  std::string intent;  // nothing is filtered without a word in it
  LargeJson large_json = LargeJson::kSummarize;
  std::size_t chunk_threshold = 10240;
  std::size_t max_bytes = 200000;
  Truncation truncation = Truncation::kMiddle;
};

// Empty when the output stays as it is. Valid UTF-8 stays valid.
std::optional<std::string> ReduceOutput(std::string_view output, const OutputSettings& settings);

}  // namespace isobox
