#include "native/protocol/message_gate.h"

#include <array>
#include <optional>

namespace isobox {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

// What a line of this length leaves behind is kept for the next one.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

constexpr std::array<std::string_view, 4> kLimits = {"timeoutMs", "memoryLimitBytes", "maxLogLines",
                                                     "maxLogChars"};

enum class Presence { kRequired, kOptional };

// Checks fields, and remembers the first that is wrong. Of fields with one name the last counts, as
// it does for JSON.parse.
class ShapeCheck {
 public:
  explicit ShapeCheck(std::string& defect) : defect_(defect) {}

  bool IsMessage(element root) {
    object message;
    if (root.get(message) != simdjson::SUCCESS) return Fail("the message", "an object");
    std::string_view type;
    if (!ReadString(message, "type", type)) return false;
    if (type == "execute") return IsExecute(message);
    if (type == "cancel") return HasString(message, "id");
    if (type == "tool_result") return IsToolResult(message);
    return Fail("\"type\"", "execute, cancel or tool_result");
  }

 private:
  bool IsExecute(object message) {
    object options;
    array providers;
    if (!HasString(message, "id") || !HasString(message, "code")) return false;
    if (!ReadObject(message, "options", options)) return false;
    for (const std::string_view name : kLimits)
      if (!HasNumberIfAny(options, name)) return false;
    const std::optional<element> field = Find(message, "providers");
    if (!field || field->get(providers) != simdjson::SUCCESS)
      return Fail("\"providers\"", "an array");
    for (const element provider : providers)
      if (!IsManifest(provider)) return false;
    return true;
  }

  bool IsManifest(element value) {
    object manifest;
    object tools;
    if (value.get(manifest) != simdjson::SUCCESS) return Fail("a provider", "an object");
    if (!HasString(manifest, "name") || !HasString(manifest, "types")) return false;
    if (!ReadObject(manifest, "tools", tools)) return false;
    for (const auto [name, tool] : tools)
      if (!IsTool(tool)) return false;
    return true;
  }

  bool IsTool(element value) {
    object tool;
    if (value.get(tool) != simdjson::SUCCESS) return Fail("a tool", "an object");
    return HasString(tool, "safeName") && HasString(tool, "originalName") &&
           HasString(tool, "description", Presence::kOptional);
  }

  bool IsToolResult(object message) {
    bool ok = false;
    object error;
    if (!HasString(message, "callId")) return false;
    const std::optional<element> field = Find(message, "ok");
    if (!field || field->get(ok) != simdjson::SUCCESS) return Fail("\"ok\"", "true or false");
    if (ok) return true;
    return ReadObject(message, "error", error) && HasString(error, "code") &&
           HasString(error, "message");
  }

  static std::optional<element> Find(object fields, std::string_view name) {
    std::optional<element> found;
    for (const auto [key, value] : fields)
      if (key == name) found = value;
    return found;
  }

  bool ReadString(object fields, std::string_view name, std::string_view& text) {
    const std::optional<element> field = Find(fields, name);
    if (!field || field->get(text) != simdjson::SUCCESS) return Fail(Quoted(name), "a string");
    return true;
  }

  bool HasString(object fields, std::string_view name, Presence presence = Presence::kRequired) {
    const std::optional<element> field = Find(fields, name);
    if (!field && presence == Presence::kOptional) return true;
    return (field && field->type() == element_type::STRING) || Fail(Quoted(name), "a string");
  }

  bool HasNumberIfAny(object fields, std::string_view name) {
    const std::optional<element> field = Find(fields, name);
    return !field || field->is_number() || Fail(Quoted(name), "a number");
  }

  bool ReadObject(object fields, std::string_view name, object& value) {
    const std::optional<element> field = Find(fields, name);
    if (!field || field->get(value) != simdjson::SUCCESS) return Fail(Quoted(name), "an object");
    return true;
  }

  static std::string Quoted(std::string_view name) { return '"' + std::string(name) + '"'; }

  bool Fail(std::string what, std::string_view expected) {
    defect_ = std::move(what).append(" is not ").append(expected);
    return false;
  }

  std::string& defect_;
};

// Of any text; in JSON, how deep its arrays and objects nest.
bool IsTooDeep(std::string_view text) {
  std::size_t depth = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\') i += 1;
      if (c == '"') is_in_string = false;
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '[' || c == '{') {
      depth += 1;
      if (depth >= kMaxMessageDepth) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      depth -= 1;
    }
  }
  return false;
}

}  // namespace

Verdict MessageGate::Judge(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return Verdict::kBlank;
  element root;
  Verdict verdict = Verdict::kNotJson;
  switch (Parse(line, root)) {
    case simdjson::SUCCESS:
      defect_.clear();
      verdict = ShapeCheck(defect_).IsMessage(root) ? Verdict::kMessage : Verdict::kNoMessage;
      break;
    case simdjson::NUMBER_ERROR:
    case simdjson::STRING_ERROR:
      verdict = IsTooDeep(line) ? Verdict::kTooDeep : Verdict::kUnsure;
      break;
    case simdjson::UTF8_ERROR:
      verdict = Verdict::kNotUtf8;
      break;
    case simdjson::DEPTH_ERROR:
      verdict = Verdict::kTooDeep;
      break;
    case simdjson::MEMALLOC:
      verdict = Verdict::kOutOfMemory;
      break;
    default:
      break;
  }
  if (line.size() > kKeptBytes) {
    parser_ = simdjson::dom::parser();
    padded_ = {};
  }
  return verdict;
}

simdjson::error_code MessageGate::Parse(std::string_view line, element& root) {
  padded_.reserve(line.size() + simdjson::SIMDJSON_PADDING);
  padded_.assign(line);
  padded_.append(simdjson::SIMDJSON_PADDING, ' ');
  // Made once with this depth, it keeps the depth when it grows.
  if (parser_.max_depth() != kMaxMessageDepth) {
    const simdjson::error_code error = parser_.allocate(line.size(), kMaxMessageDepth);
    if (error != simdjson::SUCCESS) return error;
  }
  return parser_.parse(padded_.data(), line.size(), false).get(root);
}

}  // namespace isobox
