#pragma once
// What a run is asked to do and what came of it: plain data, no V8. Owned by one thread at a time.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "native/core/stop_cause.h"

namespace isobox {

using RunId = uint64_t;
using CallId = uint64_t;
// Index into the host's table of functions a run may call, or into the guest's table of functions
// the host may call.
using FunctionSlot = uint32_t;

inline constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

// How values cross: JSON text, or structured clone with callable proxies.
enum class ValueProfile : uint8_t { kJson, kClone };

// What rebuilding a value takes of its receiver: heap, and time on its thread. Estimated high.
struct ValueCost {
  uint64_t bytes = 0;
  uint64_t ns = 0;

  ValueCost& operator+=(const ValueCost& other) {
    bytes += other.bytes;
    ns += other.ns;
    return *this;
  }
};

// A place in JSON text at which its receiver may stop and go on later.
struct TextMark {
  enum class Kind : uint8_t {
    kOpen,   // `at` is the bracket of an array or object that has marks inside
    kCut,    // `at` is behind a complete child of the innermost of those
    kClose,  // `at` is its closing bracket
    kText,   // `at` is the stand-in for a long text
  };
  Kind kind = Kind::kCut;
  size_t at = 0;
  size_t child = 0;     // kOpen and kText: where this child begins, with its key if it has one
  size_t text = 0;      // kText: which of the long texts
  uint32_t length = 0;  // kOpen, of an array: how many children it has
};

// An encoded value. Under the JSON profile empty bytes stand for undefined.
struct Payload {
  std::string bytes;
  std::vector<TextMark> marks;          // JSON profile, of values that are worth it
  std::vector<std::string> long_texts;  // JSON profile: strings that stand beside the text
  ValueCost cost;
  bool has_references = false;  // clone profile

  // What it takes on its way.
  uint64_t size() const {
    uint64_t size = bytes.size();
    for (const std::string& text : long_texts)
      size += text.size();
    return size;
  }
};

enum class SourceKind : uint8_t {
  kScript,    // classic script; its completion value is the result
  kFunction,  // body of an async function; its return value is the result
  kModule,    // ES module; an export is the result
};

// Where a name is visible: on the global object, or only as a binding that scripts and modules see.
enum class BindingScope : uint8_t { kGlobalObject, kLexical };

enum class ConsoleMode : uint8_t {
  kNone,     // there is no console
  kLines,    // one formatted line per call
  kEntries,  // level and encoded arguments per call
};

struct NamespaceMember {
  std::string name;
  FunctionSlot slot = 0;
};

// A plain object of host functions on the guest's global object.
struct NamespacePlan {
  std::string name;
  std::vector<NamespaceMember> members;
};

struct BindingPlan {
  std::string name;
  Payload value;
  BindingScope scope = BindingScope::kGlobalObject;
};

// A module made of host values.
struct SyntheticModulePlan {
  std::string specifier;
  std::vector<std::pair<std::string, Payload>> exports;
};

// A module made of guest source. `path` is normalized: no leading slash, no dot segments.
struct SourceModulePlan {
  std::string path;
  std::string source;
};

// What a guest gets of the installed library: names on its global object and modules, each made
// when the guest first asks for it.
struct LibraryPlan {
  std::vector<std::string> globals;
  std::vector<std::string> modules;
  std::vector<NamespaceMember> functions;  // of the host, for the library alone
  Payload settings;                        // for the library

  bool empty() const { return globals.empty() && modules.empty(); }
};

struct RealmPlan {
  bool allows_code_generation = false;
  bool allows_web_assembly = false;
  bool allows_shared_memory = false;
  bool offers_queue_microtask = false;  // as a binding, not on the global object
  ConsoleMode console = ConsoleMode::kLines;
  BindingScope console_scope = BindingScope::kGlobalObject;
  std::vector<NamespacePlan> namespaces;
  std::vector<BindingPlan> bindings;
  LibraryPlan library;
};

struct ModulePlan {
  std::string entry_path;               // relative imports of the entry start here
  std::string meta_url_prefix;          // import.meta.url is this plus the file name
  std::string export_name = "default";  // the export that is the result
  Payload arguments;                    // an encoded array
  uint32_t argument_count = 0;
  std::vector<std::string> suffixes;  // tried in order for a path without an extension
  std::vector<SourceModulePlan> sources;
  std::vector<SyntheticModulePlan> synthetic;
};

struct RunLimits {
  uint64_t wall_us = kUnlimited;
  uint64_t cpu_us = kUnlimited;
  uint64_t memory_bytes = 64U << 20U;
  uint64_t calls = kUnlimited;
  uint64_t calls_in_flight = kUnlimited;
  uint64_t call_bytes = kUnlimited;
  uint64_t call_bytes_in_flight = kUnlimited;
  uint64_t result_bytes = kUnlimited;
  uint64_t value_bytes = kUnlimited;  // one encoded value, either way
  uint32_t value_depth = 1000;
  uint64_t value_objects = kUnlimited;
  uint64_t log_lines = kUnlimited;
  uint64_t log_chars = kUnlimited;
};

struct RunRequest {
  RunId id = 0;
  std::string source;
  std::string filename;
  SourceKind kind = SourceKind::kFunction;
  ValueProfile profile = ValueProfile::kJson;
  bool wants_live_logs = false;
  RealmPlan realm;
  ModulePlan module;
  RunLimits limits;
};

// An error the host reports to the guest: a failed call, or a value that cannot cross.
struct HostError {
  std::string name;
  std::string message;
  std::string code;
};

struct StackFrame {
  std::string function;
  std::string filename;
  int line = 0;
  int column = 0;
};

// What is known of an uncaught guest error. Positions are 1-based; 0 means unknown.
struct ErrorReport {
  std::string name;
  std::string message;
  std::string filename;
  std::string specifier;  // the import that failed, for link errors
  std::string host_code;  // set only when the host made this error
  bool is_host_error = false;
  bool is_object = false;  // what was thrown
  int line = 0;
  int column = 0;
  std::vector<StackFrame> frames;
};

enum class LogLevel : uint8_t { kLog, kInfo, kWarn, kError, kDebug };

struct LogEntry {
  LogLevel level = LogLevel::kLog;
  double timestamp_ms = 0;         // since the epoch
  std::string text;                // console mode lines
  std::vector<Payload> arguments;  // console mode entries
};

struct CallFact {
  FunctionSlot slot = 0;
  bool ok = false;
  bool settled = false;
  uint64_t us = 0;
  uint64_t bytes_out = 0;
  uint64_t bytes_in = 0;
};

struct RunFacts {
  uint64_t wall_us = 0;
  uint64_t cpu_us = 0;
  uint64_t queued_us = 0;
  uint64_t peak_heap_bytes = 0;
  uint64_t calls = 0;
  uint64_t call_bytes = 0;
  std::vector<CallFact> call_facts;  // the first kMaxCallFacts calls
};

inline constexpr size_t kMaxCallFacts = 256;

// How a guest came to its own end.
struct GuestResult {
  StopCause cause = StopCause::kNone;
  Payload value;
  ErrorReport error;
};

struct RunOutcome {
  StopCause cause = StopCause::kNone;
  Payload value;
  ErrorReport error;
  std::string reason;  // the caller's for kTerminated, see Pool::Start for kExhausted
  std::vector<LogEntry> logs;
  bool logs_truncated = false;
  RunFacts facts;
};

}  // namespace isobox
