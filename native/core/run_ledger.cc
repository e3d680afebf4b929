#include "native/core/run_ledger.h"

#include <utility>

namespace isobox {
namespace {

uint64_t MicrosBetween(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(to - from).count());
}

// Of the host's heap: what answering a call takes beside its arguments.
constexpr uint64_t kCallCost = 512;

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
  const uint64_t bytes = arguments.size();
  const uint64_t cost = kCallCost + std::max(bytes, arguments.cost.bytes);
  auto state = state_.Lock();
  if (state->is_settled || latch_.tripped()) return CallAdmission::kEnded;
  RunFacts& facts = state->facts;
  // All that is unanswered may cost the host as much memory as the guest may use itself.
  if (facts.calls >= limits_.calls || state->open_calls.size() >= limits_.calls_in_flight ||
      bytes > limits_.call_bytes - std::min(limits_.call_bytes, facts.call_bytes) ||
      bytes > limits_.call_bytes_in_flight - state->bytes_in_flight ||
      cost > limits_.memory_bytes - state->cost_in_flight) {
    return CallAdmission::kOverBudget;
  }
  facts.calls += 1;
  facts.call_bytes += bytes;
  state->bytes_in_flight += bytes;
  state->cost_in_flight += cost;
  const size_t fact = facts.call_facts.size();
  if (fact < kMaxCallFacts) facts.call_facts.push_back({.slot = slot, .bytes_out = bytes});
  call = state->next_call++;
  state->open_calls.emplace(call, OpenCall{Clock::now(), bytes, cost, fact});
  channel_.PostCall({id_, call, slot, std::move(arguments)});
  return CallAdmission::kPassed;
}

CallAdmission RunLedger::EndCall(CallId call, bool ok, uint64_t bytes) {
  auto state = state_.Lock();
  const auto open = state->open_calls.find(call);
  if (open == state->open_calls.end()) return CallAdmission::kEnded;
  state->bytes_in_flight -= open->second.bytes;
  state->cost_in_flight -= open->second.cost;
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

void RunLedger::LogLine(LogLevel level, std::string_view text) {
  auto state = state_.Lock();
  if (state->is_settled) return;
  if (state->logs.AppendLine(level, NowMs(), text) != nullptr) PostLive(*state);
}

void RunLedger::LogArguments(LogLevel level, std::vector<Payload> arguments) {
  auto state = state_.Lock();
  if (state->is_settled) return;
  if (state->logs.AppendEntry(level, NowMs(), std::move(arguments)) != nullptr) PostLive(*state);
}

void RunLedger::LogAgain(ConsoleMode mode, LogEntry entry) {
  auto state = state_.Lock();
  if (state->is_settled || mode == ConsoleMode::kNone) return;
  LogBuffer& logs = state->logs;
  const LogEntry* const kept =
      mode == ConsoleMode::kLines
          ? logs.AppendLine(entry.level, entry.timestamp_ms, entry.text)
          : logs.AppendEntry(entry.level, entry.timestamp_ms, std::move(entry.arguments));
  if (kept != nullptr) PostLive(*state);
}

// A host that wants logs as they come keeps them itself: its outcome has none.
void RunLedger::PostLive(State& state) {
  if (!wants_live_logs_) return;
  for (LogEntry& entry : state.logs.Take())
    channel_.PostLog(id_, std::move(entry));
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
