#include "native/core/pool.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <thread>
#include <utility>

namespace isobox {
namespace {

std::atomic<size_t> away_in_process{0};

// What guests and their values took and gave back, the C library keeps for later use; when a pool
// ends there is none.
void ReturnFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace

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
      state_(std::in_place, options) {}

// The watchdog's thread may be inside the pool, on behalf of a session that has just ended; after
// this it is not, and the members can go.
Pool::~Pool() { watchdog_.Close(); }

bool Pool::StartWorker() {
  auto worker = std::make_shared<Worker>();
  auto self = shared_from_this();
  if (!worker->thread.TryStart("isobox-worker", kWorkerStackBytes,
                               [self, worker] { self->Work(worker); })) {
    return false;
  }
  worker->thread.Detach();
  return true;
}

// With the lock held throughout: no two threads start the same replacement, and on the watchdog's
// thread the pool lives at least as long as the worker that is waiting for the lock to leave.
void Pool::Replenish(State& state) {
  constexpr size_t kAwayPerStuck =
      4;  // bounds threads even before the late ones are known as stuck
  while (!state.is_closing && state.live < options_.threads && state.stuck <= options_.max_stuck &&
         state.away <= kAwayPerStuck * options_.max_stuck) {
    if (!StartWorker()) return;
    state.live += 1;
  }
}

void Pool::Forget(State& state, RunId run) {
  state.sessions.erase(run);
  state.queue.Release();
}

void Pool::Start(RunRequest request) {
  auto session = std::make_shared<Session>(std::move(request), *channel_, watchdog_, *this);
  StopCause refusal = StopCause::kNone;
  bool needs_waking = false;
  {
    auto state = state_.Lock();
    Replenish(*state);
    state->shelf.Touch(Clock::now());
    if (state->is_closing) {
      refusal = StopCause::kDisposed;
    } else if (state->live == 0) {
      refusal = StopCause::kExhausted;
    } else if (state->queue.Submit(session) == RunQueue<Session>::Admission::kRefused) {
      refusal = StopCause::kQueueFull;
    } else {
      state->sessions.emplace(session->id(), session);
      needs_waking = NoteRunnable(*state);
    }
  }
  if (refusal != StopCause::kNone) {
    session->Stop(refusal, {});
    return;
  }
  if (needs_waking) work_.notify_one();
  session->Arm();
}

std::shared_ptr<Session> Pool::Find(RunId run) {
  auto state = state_.Lock();
  const auto place = state->sessions.find(run);
  return place == state->sessions.end() ? nullptr : place->second;
}

void Pool::Post(RunId run, GuestMessage message) {
  if (const auto session = Find(run)) session->Post(std::move(message));
}

void Pool::Stop(RunId run, StopCause cause, std::string reason) {
  if (const auto session = Find(run)) session->Stop(cause, std::move(reason));
}

void Pool::Prewarm(uint64_t request, size_t count) {
  bool is_ready = false;
  {
    auto state = state_.Lock();
    is_ready =
        state->is_closing || state->live == 0 || state->shelf.Request(request, count, Clock::now());
  }
  if (is_ready) {
    channel_->PostWarm(request);
  } else {
    work_.notify_all();
  }
}

PoolStats Pool::Stats() {
  PoolStats stats;
  {
    auto state = state_.Lock();
    stats.threads = state->live;
    for (const auto& session : state->in_turn)
      stats.running += session->IsParked() ? 0 : 1;
    stats.queued = state->queue.waiting() + state->queue.runnable();
    for (const auto& [id, session] : state->sessions)
      stats.parked += session->IsParked() ? 1 : 0;
    stats.warm = state->shelf.size();
    stats.stuck = state->stuck;
  }
  totals_.Lock()->Fill(stats);
  return stats;
}

void Pool::Close() {
  std::vector<std::shared_ptr<Session>> sessions;
  std::vector<uint64_t> requests;
  {
    auto state = state_.Lock();
    if (std::exchange(state->is_closing, true)) return;
    for (const auto& [id, session] : state->sessions)
      sessions.push_back(session);
    requests = state->shelf.DropRequests();
  }
  for (const auto& session : sessions)
    session->Stop(StopCause::kDisposed, {});
  for (const uint64_t request : requests)
    channel_->PostWarm(request);
  state_.Lock()->is_drained = true;
  work_.notify_all();
  AnnounceIfClosed();
}

void Pool::AnnounceIfClosed() {
  {
    auto state = state_.Lock();
    if (!state->is_drained || state->live > 0 || state->answering > 0) return;
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

size_t Pool::AwayInProcess() { return away_in_process; }

void Pool::MakeRunnable(std::shared_ptr<Session> session) {
  bool needs_waking = false;
  {
    auto state = state_.Lock();
    state->queue.MakeRunnable(std::move(session));
    needs_waking = NoteRunnable(*state);
  }
  if (needs_waking) work_.notify_one();
}

bool Pool::NoteRunnable(const State& state) {
  runnable_ = state.queue.runnable();
  return runnable_ > lingering_;
}

bool Pool::Linger(const std::atomic<bool>& is_parked) {
  constexpr auto kLinger = std::chrono::microseconds(40);
  lingering_ += 1;
  const auto deadline = Clock::now() + kLinger;
  while (is_parked && runnable_ == 0 && Clock::now() < deadline)
    std::this_thread::yield();
  lingering_ -= 1;
  // What became runnable before that woke nobody: this thread takes it.
  return !is_parked && runnable_ == 0;
}

void Pool::Withdraw(const std::shared_ptr<Session>& session) {
  bool is_last = false;
  {
    auto state = state_.Lock();
    if (!state->queue.Withdraw(session.get())) return;
    state->sessions.erase(session->id());
    is_last = state->is_drained && state->sessions.empty();
  }
  if (is_last) work_.notify_all();
}

std::unique_ptr<Guest> Pool::TakeGuest() {
  std::unique_ptr<Guest> guest = state_.Lock()->shelf.Take();
  return guest ? std::move(guest) : factory_(Readiness::kAtOnce);
}

void Pool::NoteSettled(const SettledFacts& facts) { totals_.Lock()->Add(facts); }

bool Pool::WriteOff(const std::shared_ptr<Worker>& worker, const Session& session) {
  {
    auto state = state_.Lock();
    // By now it may have come back, and be idle, in another session or gone.
    if (worker->serving != &session || std::exchange(worker->is_written_off, true)) return false;
    state->live -= 1;
    state->away += 1;
    away_in_process += 1;
    worker->thread.LowerPriority();
    worker->patience =
        watchdog_.ArmIn(options_.stuck_after, [this, worker] { MarkStuck(*worker); });
    std::erase_if(state->in_turn, [&](const auto& one) { return one.get() == &session; });
    state->answering += 1;
    Forget(*state, session.id());
    Replenish(*state);
  }
  work_.notify_all();
  return true;
}

void Pool::NoteAnswered() {
  FailWhatNobodyWillRun();
  state_.Lock()->answering -= 1;
  AnnounceIfClosed();
}

void Pool::MarkStuck(Worker& worker) {
  {
    auto state = state_.Lock();
    if (worker.has_left || std::exchange(worker.is_stuck, true)) return;
    state->stuck += 1;
    RetireWatchdogIfDone(*state);
  }
  FailWhatNobodyWillRun();
}

void Pool::RetireWatchdogIfDone(const State& state) {
  if (state.is_announced && state.away == state.stuck) watchdog_.Retire();
}

void Pool::ArmTick(State& state) {
  state.tick = watchdog_.ArmIn(options_.sample_interval, [this] { Tick(); });
}

void Pool::Tick() {
  std::vector<std::shared_ptr<Session>> sessions;
  {
    auto state = state_.Lock();
    state->idle_ticks = state->in_turn.empty() ? state->idle_ticks + 1 : 0;
    state->is_ticking = state->idle_ticks < kIdleTicks;
    if (!state->is_ticking) return;
    sessions = state->in_turn;
    ArmTick(*state);
  }
  for (const auto& session : sessions)
    session->Sample();
}

void Pool::FailWhatNobodyWillRun() {
  std::vector<std::shared_ptr<Session>> stranded;
  std::vector<uint64_t> requests;
  {
    auto state = state_.Lock();
    if (state->live > 0) return;
    for (const auto& [id, session] : state->sessions)
      stranded.push_back(session);
    requests = state->shelf.DropRequests();
  }
  for (const auto& session : stranded)
    session->Stop(StopCause::kExhausted, {});
  for (const uint64_t request : requests)
    channel_->PostWarm(request);
}

void Pool::Work(const std::shared_ptr<Worker>& worker) {
  while (true) {
    Job job = NextJob(*worker);
    switch (job.duty) {
      case Duty::kTurn:
        RunTurn(worker, job.session);
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

Pool::Job Pool::NextJob(Worker& worker) {
  auto state = state_.Lock();
  while (true) {
    if (worker.is_written_off) return {Duty::kLeave, nullptr, {}};
    if (auto session = state->queue.Take()) {
      runnable_ = state->queue.runnable();
      worker.serving = session.get();
      state->in_turn.push_back(session);
      if (!std::exchange(state->is_ticking, true)) ArmTick(*state);
      return {Duty::kTurn, std::move(session), {}};
    }
    if (state->is_closing) {
      // A session that another thread is stopping is still to come, with a guest to destroy.
      if (state->is_drained && state->sessions.empty()) return {Duty::kLeave, nullptr, {}};
      state.Wait(work_);
      continue;
    }
    const auto now = Clock::now();
    // One thread always stays free for runs, unless there is only one.
    const size_t preparers = std::max<size_t>(1, state->live - 1);
    if (state->shelf.WantsMore(now) && state->shelf.in_preparation() < preparers) {
      state->shelf.BeginPreparation();
      return {Duty::kPrepare, nullptr, {}};
    }
    auto expired = state->shelf.TakeExpired(now);
    if (!expired.empty()) return {Duty::kDispose, nullptr, std::move(expired)};
    const auto expiry = state->shelf.NextExpiry();
    if (expiry == Clock::time_point::max()) {
      state.Wait(work_);
    } else {
      state.WaitUntil(work_, expiry);
    }
  }
}

void Pool::RunTurn(const std::shared_ptr<Worker>& worker, const std::shared_ptr<Session>& session) {
  const Session::TurnResult result = session->Turn(worker);
  bool is_last = false;
  {
    auto state = state_.Lock();
    worker->serving = nullptr;
    if (worker->is_written_off) return;  // its run was forgotten then
    std::erase(state->in_turn, session);
    if (result == Session::TurnResult::kAgain) state->queue.MakeRunnable(session);
    if (result == Session::TurnResult::kEnded) Forget(*state, session->id());
    is_last = state->is_drained && state->sessions.empty();
  }
  if (is_last) work_.notify_all();
}

void Pool::PrepareOne() {
  std::unique_ptr<Guest> guest = factory_(Readiness::kAhead);
  std::vector<uint64_t> reached;
  state_.Lock()->shelf.Put(std::move(guest), reached);
  for (const uint64_t request : reached)
    channel_->PostWarm(request);
}

void Pool::Leave(Worker& worker) {
  std::vector<std::unique_ptr<Guest>> leftovers;
  {
    auto state = state_.Lock();
    if (worker.is_written_off) {
      worker.has_left = true;
      worker.patience.Disarm();
      state->away -= 1;
      state->stuck -= worker.is_stuck ? 1 : 0;
      away_in_process -= 1;
      RetireWatchdogIfDone(*state);
      Replenish(*state);  // when so many were stuck that nobody replaced them
      return;
    }
    leftovers = state->shelf.TakeAll();
  }
  leftovers.clear();
  const bool is_last = (state_.Lock()->live -= 1) == 0;
  if (is_last) ReturnFreedMemory();
  AnnounceIfClosed();
}

}  // namespace isobox
