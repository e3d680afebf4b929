#include "native/output/output_pipeline.h"

#include <cstdint>
#include <utility>

#include "native/output/intent_filter.h"
#include "native/output/json_summary.h"
#include "native/output/text_cut.h"

namespace isobox {
namespace {

// A smaller difference is not worth a line.
constexpr std::size_t kFooterThreshold = 200;

void AppendSizes(std::string& text, std::size_t processed) {
  const std::size_t returned = text.size();
  if (processed <= returned + kFooterThreshold) return;
  const auto percent = static_cast<std::uint64_t>(processed - returned) * 100 / processed;
  text.append("\n\n[Output: ").append(KilobytesOf(returned)).append(" returned, ");
  text.append(KilobytesOf(processed)).append(" processed, ");
  text.append(std::to_string(percent)).append("% reduced]");
}

}  // namespace

std::optional<std::string> ReduceOutput(std::string_view output, const OutputSettings& settings) {
  std::optional<std::string> reduced;
  const auto text = [&] { return reduced ? std::string_view(*reduced) : output; };
  const auto replace = [&](std::optional<std::string> next) {
    if (next) reduced = std::move(next);
  };
  replace(FilterByIntent(text(), settings.intent));
  if (settings.large_json == LargeJson::kSummarize && text().size() > settings.chunk_threshold)
    replace(SummarizeJson(text()));
  replace(Truncate(text(), settings.max_bytes, settings.truncation));
  if (reduced) AppendSizes(*reduced, output.size());
  return reduced;
}

}  // namespace isobox
