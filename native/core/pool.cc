#include "native/core/pool.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "native/core/system.h"

namespace isobox {

std::shared_ptr<Pool> Pool::Create(PoolOptions options, GuestFactory factory,
                                   std::shared_ptr<HostChannel> channel) {
  auto pool = std::make_shared<Pool>(options, std::move(factory), std::move(channel));
  pool->Replenish(*pool->state_.Lock());
  return pool;
}

Pool::Pool(PoolOptions options, GuestFactory factory, std::shared_ptr<HostChannel> channel)
    : options_(options),
      factory_(std::move(factory)),
      channel_(std::move(channel)),
      state_(std::in_place, options, lookout_) {}

// The watchdog's thread may be inside the pool, on behalf of a run that has just ended; after
// this it is not, and the members can go.
Pool::~Pool() { watchdog_.Close(); }

bool Pool::StartWorker(const std::shared_ptr<Thread>& worker) {
  // Without the watchdog no guest would be stopped and no thread known as lost.
  if (!watchdog_.Start()) return false;
  auto self = shared_from_this();
  if (!worker->TryStart("isobox-worker", kWorkerStackBytes,
                        [self, worker] { self->Work(worker); })) {
    return false;
  }
  worker->Detach();
  return true;
}

// With the lock held throughout: no two threads start the same replacement, and on the watchdog's
// thread the pool lives at least as long as the worker that is waiting for the lock to leave.
void Pool::Replenish(State& state) {
  if (state.is_closing) return;
  state.workers.Replenish([this](const auto& worker) { return StartWorker(worker); });
}

void Pool::Forget(State& state, RunId id) {
  state.runs.erase(id);
  if (state.is_drained && state.runs.empty()) lookout_.WakeAll();
}

void Pool::Start(RunRequest request) {
  auto run = std::make_shared<Run>(std::move(request), *channel_, watchdog_, *this);
  StopCause refusal = StopCause::kNone;
  std::string reason;
  {
    auto state = state_.Lock();
    Replenish(*state);
    state->shelf.Touch(Clock::now());
    if (state->is_closing) {
      refusal = StopCause::kDisposed;
    } else if (state->workers.IsExhausted()) {
      refusal = StopCause::kExhausted;
      reason = ShortageOf(*state);
    } else if (state->queue.Submit(run) == RunQueue<Run>::Admission::kRefused) {
      refusal = StopCause::kQueueFull;
    } else {
      state->runs.emplace(run->id(), run);
    }
  }
  if (refusal == StopCause::kNone) {
    run->Arm();
  } else {
    run->Stop(refusal, std::move(reason));
  }
}

std::shared_ptr<Run> Pool::Find(RunId id) {
  auto state = state_.Lock();
  const auto place = state->runs.find(id);
  return place == state->runs.end() ? nullptr : place->second;
}

void Pool::Post(RunId id, GuestMessage message) {
  if (const auto run = Find(id)) run->Post(std::move(message));
}

void Pool::Stop(RunId id, StopCause cause, std::string reason) {
  if (const auto run = Find(id)) run->Stop(cause, std::move(reason));
}

void Pool::Prewarm(uint64_t request, size_t count) {
  bool is_ready = false;
  {
    auto state = state_.Lock();
    Replenish(*state);
    is_ready = state->is_closing || state->workers.IsExhausted() ||
               state->shelf.Request(request, count, Clock::now());
  }
  if (is_ready) {
    channel_->PostWarm(request);
  } else {
    lookout_.WakeAll();
  }
}

PoolStats Pool::Stats() {
  PoolStats stats;
  {
    auto state = state_.Lock();
    stats.threads = state->workers.IsExhausted() ? 0 : state->workers.live();
    for (const auto& run : state->workers.InTurn())
      stats.running += run->IsParked() ? 0 : 1;
    stats.queued = state->queue.waiting() + state->queue.runnable();
    for (const auto& [id, run] : state->runs)
      stats.parked += run->IsParked() ? 1 : 0;
    stats.warm = state->shelf.size();
    stats.stuck = state->workers.stuck();
  }
  totals_.Lock()->Fill(stats);
  return stats;
}

void Pool::Close() {
  std::vector<std::shared_ptr<Run>> runs;
  std::vector<uint64_t> requests;
  {
    auto state = state_.Lock();
    if (std::exchange(state->is_closing, true)) return;
    for (const auto& [id, run] : state->runs)
      runs.push_back(run);
    requests = state->shelf.DropRequests();
    // Guests that are left are disposed of, even where no thread was left to run them.
    if (!runs.empty() || state->shelf.size() > 0) {
      state->workers.KeepOne([this](const auto& worker) { return StartWorker(worker); });
    }
  }
  for (const auto& run : runs)
    run->Stop(StopCause::kDisposed, {});
  for (const uint64_t request : requests)
    channel_->PostWarm(request);
  state_.Lock()->is_drained = true;
  lookout_.WakeAll();
  AnnounceIfClosed();
}

void Pool::AnnounceIfClosed() {
  {
    auto state = state_.Lock();
    if (!state->is_drained || state->workers.live() > 0 || state->answering > 0) return;
    if (std::exchange(state->is_announced, true)) return;
    RetireWatchdogIfDone(*state);
  }
  channel_->PostClosed();
  state_.Lock()->is_closed = true;
  closed_.notify_all();
}

bool Pool::WaitUntilClosed(std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  auto state = state_.Lock();
  while (!state->is_closed) {
    if (state.WaitUntil(closed_, deadline) == std::cv_status::timeout) return state->is_closed;
  }
  return true;
}

void Pool::MakeRunnable(std::shared_ptr<Run> run) {
  state_.Lock()->queue.MakeRunnable(std::move(run));
}

bool Pool::Linger(const std::atomic<bool>& is_parked) {
  constexpr auto kLinger = std::chrono::microseconds(40);
  {
    const Lookout::Watch watch(lookout_);
    const auto deadline = Clock::now() + kLinger;
    while (is_parked && !lookout_.HasRunnable() && Clock::now() < deadline)
      std::this_thread::yield();
  }
  return !is_parked && !lookout_.HasRunnable();
}

void Pool::Withdraw(const std::shared_ptr<Run>& run) {
  auto state = state_.Lock();
  if (state->queue.Withdraw(run.get())) Forget(*state, run->id());
}

std::unique_ptr<Guest> Pool::TakeGuest() {
  std::vector<uint64_t> reached;
  std::unique_ptr<Guest> guest = state_.Lock()->shelf.Take(reached);
  for (const uint64_t request : reached)
    channel_->PostWarm(request);
  return guest ? std::move(guest) : factory_(Readiness::kAtOnce);
}

void Pool::NoteSettled(const SettledFacts& facts) { totals_.Lock()->Add(facts); }

bool Pool::LoseWorker(const std::shared_ptr<Thread>& worker, const Run& run) {
  auto state = state_.Lock();
  auto patience = watchdog_.ArmIn(options_.stuck_after, [this, worker] { MarkStuck(*worker); });
  if (!state->workers.Lose(*worker, run, std::move(patience))) return false;
  state->answering += 1;
  state->queue.Release();
  Forget(*state, run.id());
  Replenish(*state);
  return true;
}

void Pool::NoteAnswered() {
  state_.Lock()->answering -= 1;
  AnnounceIfClosed();
}

void Pool::MarkStuck(const Thread& worker) {
  {
    auto state = state_.Lock();
    if (!state->workers.MarkStuck(worker)) return;
    Replenish(*state);
    RetireWatchdogIfDone(*state);
  }
  FailWhatNobodyWillRun();
}

void Pool::RetireWatchdogIfDone(const State& state) {
  if (state.is_announced && !state.workers.HasLate()) watchdog_.Retire();
}

void Pool::ArmTick(State& state) {
  state.tick = watchdog_.ArmIn(options_.sample_interval, [this] { Tick(); });
}

void Pool::Tick() {
  std::vector<std::shared_ptr<Run>> runs;
  {
    auto state = state_.Lock();
    runs = state->workers.InTurn();
    state->idle_ticks = runs.empty() ? state->idle_ticks + 1 : 0;
    state->is_ticking = state->idle_ticks < kIdleTicks;
    if (!state->is_ticking) return;
    ArmTick(*state);
  }
  for (const auto& run : runs)
    run->Sample();
}

std::string Pool::ShortageOf(const State& state) {
  const size_t lost = state.workers.InTheWay();
  return lost == 0 ? std::string() : std::to_string(lost);
}

void Pool::FailWhatNobodyWillRun() {
  std::vector<std::shared_ptr<Run>> stranded;
  std::vector<uint64_t> requests;
  std::string reason;
  {
    auto state = state_.Lock();
    if (state->is_closing || !state->workers.IsExhausted()) return;
    reason = ShortageOf(*state);
    for (const auto& [id, run] : state->runs)
      stranded.push_back(run);
    requests = state->shelf.DropRequests();
  }
  for (const auto& run : stranded)
    run->Stop(StopCause::kExhausted, reason);
  for (const uint64_t request : requests)
    channel_->PostWarm(request);
}

void Pool::Work(const std::shared_ptr<Thread>& worker) {
  while (true) {
    Job job = NextJob(*worker);
    switch (job.duty) {
      case Duty::kTurn:
        RunTurn(worker, job.run);
        break;
      case Duty::kRefuse:
        job.run->Stop(StopCause::kExhausted, std::move(job.reason));
        RunTurn(worker, job.run);  // which only cleans up
        break;
      case Duty::kPrepare:
        PrepareOne();
        break;
      case Duty::kDispose:
        job.expired.clear();
        break;
      case Duty::kLeave:
        Leave(*worker);
        return;
    }
  }
}

Pool::Job Pool::NextJob(const Thread& worker) {
  auto state = state_.Lock();
  while (true) {
    if (state->workers.IsLost(worker)) return {Duty::kLeave};
    const bool is_exhausted = state->workers.IsExhausted();
    if (auto run = state->queue.Take()) {
      state->workers.BeginTurn(worker, run);
      if (!std::exchange(state->is_ticking, true)) ArmTick(*state);
      if (is_exhausted) return {Duty::kRefuse, std::move(run), ShortageOf(*state)};
      return {Duty::kTurn, std::move(run)};
    }
    if (state->is_closing) {
      // A run that another thread is stopping is still to come, with a guest to destroy.
      if (state->is_drained && state->runs.empty()) return {Duty::kLeave};
      lookout_.Sleep(state);
      continue;
    }
    const auto now = Clock::now();
    // Not all threads prepare guests at once, unless there is only one.
    const size_t preparers = std::max<size_t>(1, state->workers.live() - 1);
    if (!is_exhausted && state->shelf.WantsMore(now) && state->shelf.in_preparation() < preparers) {
      state->shelf.BeginPreparation();
      return {Duty::kPrepare};
    }
    auto expired = state->shelf.TakeExpired(now);
    if (!expired.empty()) return {.duty = Duty::kDispose, .expired = std::move(expired)};
    const auto expiry = state->shelf.NextExpiry();
    if (expiry == Clock::time_point::max()) {
      lookout_.Sleep(state);
    } else {
      lookout_.SleepUntil(state, expiry);
    }
  }
}

void Pool::RunTurn(const std::shared_ptr<Thread>& worker, const std::shared_ptr<Run>& run) {
  const Run::TurnResult result = run->Turn(worker);
  auto state = state_.Lock();
  if (!state->workers.EndTurn(*worker)) return;  // its run was forgotten when it was lost
  // The thread looks for its next job now: nobody else is woken for what it can take itself.
  const Lookout::Watch watch(lookout_);
  if (result == Run::TurnResult::kAgain) state->queue.MakeRunnable(run);
  if (result != Run::TurnResult::kEnded) return;
  state->queue.Release();
  Forget(*state, run->id());
}

void Pool::PrepareOne() {
  std::unique_ptr<Guest> guest = factory_(Readiness::kAhead);
  std::vector<uint64_t> reached;
  state_.Lock()->shelf.Put(std::move(guest), reached);
  for (const uint64_t request : reached)
    channel_->PostWarm(request);
}

void Pool::Leave(const Thread& worker) {
  std::vector<std::unique_ptr<Guest>> leftovers;
  bool is_lost = false;
  {
    auto state = state_.Lock();
    is_lost = state->workers.IsLost(worker);
    if (is_lost) {
      state->workers.Remove(worker);
      RetireWatchdogIfDone(*state);
      Replenish(*state);  // when so many were lost that nobody replaced them
    } else {
      leftovers = state->shelf.TakeAll();
    }
  }
  if (is_lost) return FailWhatNobodyWillRun();
  leftovers.clear();
  bool is_last = false;
  {
    auto state = state_.Lock();
    state->workers.Remove(worker);
    is_last = state->workers.live() == 0;
  }
  if (is_last) system::ReturnFreedMemory();
  AnnounceIfClosed();
}

}  // namespace isobox
