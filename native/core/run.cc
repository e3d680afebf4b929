#include "native/core/run.h"

#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace isobox {
namespace {

// Limits longer than this are as good as none; the clocks could not count them.
constexpr std::chrono::hours kLongestDelay{24 * 365 * 100};

std::chrono::microseconds DelayOf(uint64_t us) {
  constexpr auto kLongestUs =
      static_cast<uint64_t>(std::chrono::microseconds(kLongestDelay).count());
  return std::chrono::microseconds(std::min(us, kLongestUs));
}

}  // namespace

Run::Run(RunRequest request, HostChannel& channel, Watchdog& watchdog, RunScheduler& scheduler)
    : request_(std::move(request)),
      ledger_(request_, channel),
      watchdog_(watchdog),
      scheduler_(scheduler) {}

void Run::Arm() {
  if (request_.limits.wall_us == kUnlimited) return;
  auto self = shared_from_this();
  auto alarm = watchdog_.ArmIn(DelayOf(request_.limits.wall_us),
                               [self] { self->Stop(StopCause::kDeadline, {}); });
  auto state = state_.Lock();
  if (!ledger_.latch().tripped()) state->wall_alarm = std::move(alarm);
}

void Run::Post(GuestMessage message) {
  {
    auto state = state_.Lock();
    if (state->phase == Phase::kEnded || ledger_.latch().tripped()) return;
    state->inbox.push_back(std::move(message));
    if (state->phase != Phase::kParked) return;
    SetPhase(*state, Phase::kQueued);
    if (state->is_attended) return;
  }
  scheduler_.MakeRunnable(shared_from_this());
}

void Run::Stop(StopCause cause, std::string reason) {
  bool was_parked = false;
  bool is_attended = false;
  {
    auto state = state_.Lock();
    if (!ledger_.latch().Trip(cause)) return;
    ledger_.SetReason(std::move(reason));
    if (state->phase == Phase::kRunning) {
      Interrupt(*state);
      auto self = shared_from_this();
      state->grace_alarm = watchdog_.ArmIn(kStopGrace, [self] { self->LoseWorker(); });
      return;
    }
    // Nobody runs it: the caller is answered here, and the next turn only cleans up.
    was_parked = state->phase == Phase::kParked;
    is_attended = state->is_attended;
    state->wall_alarm.Disarm();
    SetPhase(*state, Phase::kQueued);
  }
  Settle({});
  if (is_attended) return;
  if (was_parked) {
    scheduler_.MakeRunnable(shared_from_this());
  } else {
    scheduler_.Withdraw(shared_from_this());
  }
}

void Run::Interrupt(State& state) {
  if (state.guest) state.guest->Interrupt();
  const auto pause = state.is_worker_lost ? kLostInterruptPause : kInterruptPause;
  auto self = shared_from_this();
  state.interrupt_alarm = watchdog_.ArmIn(pause, [self] { self->InterruptAgain(); });
}

void Run::InterruptAgain() {
  auto state = state_.Lock();
  if (state->phase == Phase::kRunning) Interrupt(*state);
}

void Run::SetPhase(State& state, Phase phase) {
  state.phase = phase;
  is_parked_ = phase == Phase::kParked;
}

void Run::Settle(GuestResult result) {
  ledger_.Settle(std::move(result),
                 [this](const SettledFacts& facts) { scheduler_.NoteSettled(facts); });
}

Guest* Run::EnterGuest() {
  std::unique_ptr<Guest> fresh;
  if (!state_.Lock()->has_begun) {
    fresh = scheduler_.TakeGuest();
    fresh->Begin(request_, ledger_, *this);
    ledger_.NoteStarted();
  }
  auto state = state_.Lock();
  if (fresh) {
    state->has_begun = true;
    state->guest = std::move(fresh);
    // Making the guest is not its own work.
    state->turn_cpu_start_us = ThisThreadCpuTimeUs();
  }
  // A stop that came earlier found no guest to interrupt; one that comes later finds it.
  if (ledger_.latch().tripped()) return nullptr;
  ArmCpu(*state);
  return state->guest.get();
}

Run::TurnResult Run::Turn(const std::shared_ptr<Thread>& worker) {
  while (true) {
    const TurnResult result = TurnOnce(worker);
    if (result != TurnResult::kParked) return result;
    const bool may_go_on = scheduler_.Linger(is_parked_);
    auto state = state_.Lock();
    state->is_attended = false;
    if (state->phase == Phase::kParked) return TurnResult::kParked;
    if (!may_go_on) return TurnResult::kAgain;
  }
}

Run::TurnResult Run::TurnOnce(const std::shared_ptr<Thread>& worker) {
  std::vector<GuestMessage> messages;
  bool was_stopped = false;
  {
    auto state = state_.Lock();
    was_stopped = ledger_.latch().tripped();
    state->worker = worker;
    if (!was_stopped) {
      SetPhase(*state, Phase::kRunning);
      state->turn_cpu_start_us = ThisThreadCpuTimeUs();
      messages.swap(state->inbox);
    }
  }
  if (was_stopped) {
    Settle({});  // the thread that stopped it may not have come to that yet
    End();
    return TurnResult::kEnded;
  }
  std::optional<GuestResult> result;
  if (Guest* const guest = EnterGuest()) result = guest->Turn(std::move(messages));
  {
    auto state = state_.Lock();
    ledger_.AddCpu(ThisThreadCpuTimeUs() - state->turn_cpu_start_us);
    state->cpu_alarm.Disarm();
    if (result) ledger_.latch().Trip(result->cause);
    if (!ledger_.latch().tripped()) {
      state->worker.reset();
      state->is_attended = state->inbox.empty();
      SetPhase(*state, state->inbox.empty() ? Phase::kParked : Phase::kQueued);
      return state->phase == Phase::kParked ? TurnResult::kParked : TurnResult::kAgain;
    }
    // From here on a stop finds the cause taken, and who would lose the worker finds it back.
    SetPhase(*state, Phase::kEnded);
  }
  Settle(result ? *std::move(result) : GuestResult{});
  // The caller hears first; a scheduler may have placed its thread behind this one.
  std::this_thread::yield();
  End();
  return TurnResult::kEnded;
}

void Run::End() {
  std::unique_ptr<Guest> guest;  // destroyed without the lock: it takes a while
  auto state = state_.Lock();
  CloseState(*state);
  guest = std::move(state->guest);
}

void Run::CloseState(State& state) {
  SetPhase(state, Phase::kEnded);
  state.wall_alarm.Disarm();
  state.grace_alarm.Disarm();
  state.interrupt_alarm.Disarm();
}

void Run::Sample() {
  auto state = state_.Lock();
  if (state->phase == Phase::kRunning && state->guest && !ledger_.latch().tripped()) {
    state->guest->Sample();
  }
}

void Run::ArmCpu(State& state) {
  const uint64_t budget = request_.limits.cpu_us;
  if (budget == kUnlimited) return;
  const uint64_t used = ledger_.cpu_us();
  const uint64_t left = budget > used ? budget - used : 0;
  auto self = shared_from_this();
  state.cpu_alarm = watchdog_.ArmIn(DelayOf(left), [self] { self->CheckCpu(); });
}

uint64_t Run::TurnCpuUs(const State& state) {
  const uint64_t now = state.worker->CpuTimeUs();
  return now - std::min(now, state.turn_cpu_start_us);
}

void Run::CheckCpu() {
  {
    auto state = state_.Lock();
    if (state->phase != Phase::kRunning || ledger_.latch().tripped()) return;
    const uint64_t used = ledger_.cpu_us() + TurnCpuUs(*state);
    if (used < request_.limits.cpu_us) {
      // Less CPU than wall time has passed: look again when it could be used up.
      auto self = shared_from_this();
      state->cpu_alarm = watchdog_.ArmIn(
          DelayOf(request_.limits.cpu_us - used) + std::chrono::microseconds(kCpuSlackUs),
          [self] { self->CheckCpu(); });
      return;
    }
  }
  Stop(StopCause::kCpu, {});
}

void Run::LoseWorker() {
  std::shared_ptr<Thread> worker;
  {
    auto state = state_.Lock();
    if (state->phase != Phase::kRunning) return;
    state->is_worker_lost = true;
    worker = state->worker;
    ledger_.AddCpu(TurnCpuUs(*state));
  }
  AnswerWithout(worker);
}

void Run::AnswerWithout(const std::shared_ptr<Thread>& worker) {
  // First, so that it is counted when the caller looks.
  const bool is_lost = scheduler_.LoseWorker(worker, *this);
  Settle({});
  if (is_lost) scheduler_.NoteAnswered();
}

void Run::LoseThread(StopCause cause) {
  std::shared_ptr<Thread> worker;
  {
    auto state = state_.Lock();
    ledger_.latch().Trip(cause);
    worker = state->worker;
    if (state->phase == Phase::kRunning) ledger_.AddCpu(TurnCpuUs(*state));
    CloseState(*state);
  }
  AnswerWithout(worker);
  while (true)
    pause();
}

}  // namespace isobox
