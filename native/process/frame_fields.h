#pragma once
// The fields of every struct that passes between a host and its guest processes: the one place that
// both the writer and the reader of frames follow. Only for frames.cc.

#include "native/core/guest.h"
#include "native/core/host_channel.h"
#include "native/core/pool.h"
#include "native/core/run_types.h"
#include "native/process/frame_codec.h"

namespace isobox {

// Calls Fields for each element, which argument-dependent lookup finds.
inline constexpr auto kEach = [](auto& io, auto& element) { Fields(io, element); };
inline constexpr auto kEachValue = [](auto& io, auto& element) { io.Value(element); };

template <typename Io, typename... T>
void Values(Io& io, T&... values) {
  (io.Value(values), ...);
}

template <typename Io>
void Milliseconds(Io& io, std::chrono::milliseconds& duration) {
  int64_t count = duration.count();
  io.Value(count);
  duration = std::chrono::milliseconds(count);
}

template <typename Io>
void Fields(Io& io, TextMark& mark) {
  io.Choice(mark.kind, TextMark::Kind::kText);
  Values(io, mark.at, mark.child, mark.text, mark.length);
}

template <typename Io>
void Fields(Io& io, Payload& payload) {
  io.Value(payload.bytes);
  io.List(payload.marks, kEach);
  io.List(payload.long_texts, kEachValue);
  Values(io, payload.cost.bytes, payload.cost.ns, payload.has_references);
}

template <typename Io>
void Fields(Io& io, NamespaceMember& member) {
  Values(io, member.name, member.slot);
}

template <typename Io>
void Fields(Io& io, NamespacePlan& plan) {
  io.Value(plan.name);
  io.List(plan.members, kEach);
}

template <typename Io>
void Fields(Io& io, BindingPlan& plan) {
  io.Value(plan.name);
  Fields(io, plan.value);
  io.Choice(plan.scope, BindingScope::kLexical);
}

template <typename Io>
void Fields(Io& io, std::pair<std::string, Payload>& exported) {
  io.Value(exported.first);
  Fields(io, exported.second);
}

template <typename Io>
void Fields(Io& io, SyntheticModulePlan& plan) {
  io.Value(plan.specifier);
  io.List(plan.exports, kEach);
}

template <typename Io>
void Fields(Io& io, SourceModulePlan& plan) {
  Values(io, plan.path, plan.source);
}

template <typename Io>
void Fields(Io& io, LibraryPlan& plan) {
  io.List(plan.globals, kEachValue);
  io.List(plan.modules, kEachValue);
  io.List(plan.functions, kEach);
  Fields(io, plan.settings);
}

template <typename Io>
void Fields(Io& io, RealmPlan& plan) {
  Values(io, plan.allows_code_generation, plan.allows_web_assembly, plan.allows_shared_memory,
         plan.offers_queue_microtask);
  io.Choice(plan.console, ConsoleMode::kEntries);
  io.Choice(plan.console_scope, BindingScope::kLexical);
  io.List(plan.namespaces, kEach);
  io.List(plan.bindings, kEach);
  Fields(io, plan.library);
}

template <typename Io>
void Fields(Io& io, ModulePlan& plan) {
  Values(io, plan.entry_path, plan.meta_url_prefix, plan.export_name);
  Fields(io, plan.arguments);
  io.Value(plan.argument_count);
  io.List(plan.suffixes, kEachValue);
  io.List(plan.sources, kEach);
  io.List(plan.synthetic, kEach);
}

template <typename Io>
void Fields(Io& io, RunLimits& limits) {
  Values(io, limits.wall_us, limits.cpu_us, limits.memory_bytes, limits.calls,
         limits.calls_in_flight, limits.call_bytes, limits.call_bytes_in_flight,
         limits.result_bytes, limits.value_bytes, limits.value_depth, limits.value_objects,
         limits.log_lines, limits.log_chars);
}

template <typename Io>
void Fields(Io& io, RunRequest& request) {
  Values(io, request.id, request.source, request.filename);
  io.Choice(request.kind, SourceKind::kModule);
  io.Choice(request.profile, ValueProfile::kClone);
  io.Value(request.wants_live_logs);
  Fields(io, request.realm);
  Fields(io, request.module);
  Fields(io, request.limits);
}

template <typename Io>
void Fields(Io& io, ReplyMessage& reply) {
  Values(io, reply.call, reply.ok);
  Fields(io, reply.value);
  Values(io, reply.error.name, reply.error.message, reply.error.code);
}

template <typename Io>
void Fields(Io& io, InvokeMessage& message) {
  Values(io, message.invocation, message.slot);
  Fields(io, message.arguments);
}

template <typename Io>
void Fields(Io& io, StackFrame& frame) {
  Values(io, frame.function, frame.filename, frame.line, frame.column);
}

template <typename Io>
void Fields(Io& io, ErrorReport& report) {
  Values(io, report.name, report.message, report.filename, report.specifier, report.host_code,
         report.is_host_error, report.is_object, report.line, report.column);
  io.List(report.frames, kEach);
}

template <typename Io>
void Fields(Io& io, LogEntry& entry) {
  io.Choice(entry.level, LogLevel::kDebug);
  Values(io, entry.timestamp_ms, entry.text);
  io.List(entry.arguments, kEach);
}

template <typename Io>
void Fields(Io& io, CallEvent& event) {
  Values(io, event.run, event.call, event.slot);
  Fields(io, event.arguments);
}

template <typename Io>
void Fields(Io& io, InvokedEvent& event) {
  Values(io, event.run, event.invocation, event.ok);
  Fields(io, event.value);
  Fields(io, event.error);
}

// Of the facts only what the host cannot know by itself.
template <typename Io>
void Fields(Io& io, RunOutcome& outcome) {
  io.Choice(outcome.cause, StopCause::kCrashed);
  Fields(io, outcome.value);
  Fields(io, outcome.error);
  io.Value(outcome.reason);
  io.List(outcome.logs, kEach);
  Values(io, outcome.logs_truncated, outcome.facts.cpu_us, outcome.facts.queued_us,
         outcome.facts.peak_heap_bytes);
}

template <typename Io>
void Fields(Io& io, PoolOptions& options) {
  Values(io, options.threads, options.max_running, options.max_queued, options.warm_target,
         options.most_runs, options.max_stuck, options.max_stuck_bytes);
  Milliseconds(io, options.warm_idle);
  Milliseconds(io, options.sample_interval);
  Milliseconds(io, options.stuck_after);
}

}  // namespace isobox
