#include "native/core/run_ledger.h"

#include <utility>

namespace isobox {
namespace {

uint64_t MicrosBetween(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(to - from).count());
}

double NowMs() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

RunLedger::RunLedger(const RunRequest& request, HostChannel& channel)
    : id_(request.id),
      limits_(request.limits),
      wants_live_logs_(request.wants_live_logs),
      channel_(channel),
      state_(std::in_place, request.limits) {}

CallAdmission RunLedger::StartCall(FunctionSlot slot, Payload arguments, CallId& call) {
  const uint64_t bytes = arguments.bytes.size();
  auto state = state_.Lock();
  if (state->is_settled || latch_.tripped()) return CallAdmission::kEnded;
  RunFacts& facts = state->facts;
  if (facts.calls >= limits_.calls || state->open_calls.size() >= limits_.calls_in_flight ||
      bytes > limits_.call_bytes - std::min(limits_.call_bytes, facts.call_bytes) ||
      bytes > limits_.call_bytes_in_flight - state->bytes_in_flight) {
    return CallAdmission::kOverBudget;
  }
  facts.calls += 1;
  facts.call_bytes += bytes;
  state->bytes_in_flight += bytes;
  const size_t fact = facts.call_facts.size();
  if (fact < kMaxCallFacts) facts.call_facts.push_back({.slot = slot, .bytes_out = bytes});
  call = state->next_call++;
  state->open_calls.emplace(call, OpenCall{Clock::now(), bytes, fact});
  channel_.PostCall({id_, call, slot, std::move(arguments)});
  return CallAdmission::kPassed;
}

CallAdmission RunLedger::EndCall(CallId call, bool ok, uint64_t bytes) {
  auto state = state_.Lock();
  const auto open = state->open_calls.find(call);
  if (open == state->open_calls.end()) return CallAdmission::kEnded;
  state->bytes_in_flight -= open->second.bytes;
  state->facts.call_bytes += bytes;
  if (open->second.fact < kMaxCallFacts) {
    CallFact& fact = state->facts.call_facts[open->second.fact];
    fact.settled = true;
    fact.ok = ok;
    fact.us = MicrosBetween(open->second.started, Clock::now());
    fact.bytes_in = bytes;
  }
  state->open_calls.erase(open);
  return state->facts.call_bytes > limits_.call_bytes ? CallAdmission::kOverBudget
                                                      : CallAdmission::kPassed;
}

bool RunLedger::WantsLogs() {
  auto state = state_.Lock();
  if (state->is_settled) return false;
  if (!state->logs.HasRoom()) state->logs.MarkTruncated();
  return state->logs.HasRoom();
}

void RunLedger::PostLive(const LogEntry* entry) {
  if (entry != nullptr && wants_live_logs_) channel_.PostLog(id_, *entry);
}

void RunLedger::LogLine(LogLevel level, std::string_view text) {
  auto state = state_.Lock();
  if (state->is_settled) return;
  PostLive(state->logs.AppendLine(level, NowMs(), text));
}

void RunLedger::LogArguments(LogLevel level, std::vector<Payload> arguments) {
  auto state = state_.Lock();
  if (state->is_settled) return;
  PostLive(state->logs.AppendEntry(level, NowMs(), std::move(arguments)));
}

void RunLedger::PostInvoked(InvokedEvent event) {
  auto state = state_.Lock();
  if (state->is_settled) return;
  event.run = id_;
  channel_.PostInvoked(std::move(event));
}

void RunLedger::NoteStarted() {
  state_.Lock()->facts.queued_us = MicrosBetween(submitted_, Clock::now());
}

void RunLedger::SetReason(std::string reason) { state_.Lock()->reason = std::move(reason); }

void RunLedger::Settle(GuestResult result, const std::function<void(const SettledFacts&)>& before) {
  auto state = state_.Lock();
  if (std::exchange(state->is_settled, true)) return;
  RunOutcome outcome;
  outcome.cause = latch_.cause();
  if (outcome.cause == result.cause) {
    outcome.value = std::move(result.value);
    outcome.error = std::move(result.error);
  }
  outcome.reason = std::move(state->reason);
  outcome.logs_truncated = state->logs.truncated();
  outcome.logs = state->logs.Take();
  outcome.facts = std::move(state->facts);
  state->open_calls.clear();  // replies that a written-off thread still delivers are late
  outcome.facts.wall_us = MicrosBetween(submitted_, Clock::now());
  outcome.facts.cpu_us = cpu_us_;
  outcome.facts.peak_heap_bytes = peak_bytes_;
  before({outcome.cause, outcome.facts.wall_us, outcome.facts.calls, outcome.facts.call_bytes});
  channel_.PostOutcome(id_, std::move(outcome));
}

}  // namespace isobox
