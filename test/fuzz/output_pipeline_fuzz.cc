// Any bytes under any settings: valid UTF-8 stays valid, what is kept is within its bound, and no
// output becomes longer than its marks.

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "native/output/json_pointer.h"
#include "native/output/output_pipeline.h"

namespace {

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

// Beside the intent, more than all marks together.
constexpr std::size_t kMarks = 400;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const bool is_long = (data[0] & 4U) != 0;
  const std::string part(reinterpret_cast<const char*>(data + 4), size - 4);
  // The filter looks at long texts only; the seed cannot be that long.
  std::string output = part;
  while (is_long && !part.empty() && output.size() <= 5000)
    output += "\n\n" + part;
  const isobox::OutputSettings settings{
      .intent = part.substr(0, data[1] % 16),
      .large_json = (data[0] & 1U) != 0 ? isobox::LargeJson::kSummarize : isobox::LargeJson::kKeep,
      .chunk_threshold = data[2],
      .max_bytes = std::size_t{data[3]} * 16,
      .truncation = (data[0] & 2U) != 0 ? isobox::Truncation::kMiddle : isobox::Truncation::kTail,
  };
  // A pointer made of the text: whatever it leads to is part of it.
  const auto selected = isobox::SelectJson(part, "/" + settings.intent);
  if (selected) Require(selected->size() < part.size());
  const auto reduced = isobox::ReduceOutput(output, settings);
  if (!reduced) {
    Require(output.size() <= settings.max_bytes);
    return 0;
  }
  Require(reduced->size() <= settings.max_bytes + kMarks);
  const bool intent_is_text = simdjson::validate_utf8(settings.intent);
  if (intent_is_text && simdjson::validate_utf8(output)) Require(simdjson::validate_utf8(*reduced));
  Require(isobox::ReduceOutput(output, settings) == reduced);
  return 0;
}
