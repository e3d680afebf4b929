#include "native/process/process_pool.h"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace isobox {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// What one process may say before it is another's turn.
constexpr size_t kFramesPerTurn = 256;
// A process takes longer to start than an isolate: it is kept for a while, however few are wanted.
constexpr milliseconds kShortestIdle{1000};
// Limits longer than this are as good as none; the clocks could not count them.
constexpr std::chrono::hours kLongestWall{24 * 365 * 100};

// Names of locks are for people: a process that sends more than that makes them up.
constexpr size_t kMostLocks = 16;
constexpr size_t kLongestLock = 64;

// Whether a value is one that an encoder may have written under this limit; marks of long texts do
// not count there.
bool IsWithin(const Payload& value, uint64_t most_bytes) {
  constexpr uint64_t kMarks = 64;
  return value.size() <= kMarks || value.size() - kMarks <= most_bytes;
}

constexpr size_t Share(size_t all, size_t parts) { return (all + parts - 1) / parts; }

PoolOptions OptionsOfEach(const ProcessPoolOptions& options) {
  PoolOptions each = options.pool;
  each.threads = Share(each.threads, options.processes);
  each.warm_target = Share(each.warm_target, options.processes);
  each.max_running = Share(each.max_running, options.processes);
  each.max_queued = std::numeric_limits<size_t>::max();  // refused here, before they are sent
  return each;
}

}  // namespace

ProcessPool::ProcessPool(ProcessPoolOptions options, Launcher launcher,
                         std::shared_ptr<HostChannel> channel)
    : options_(options),
      launcher_(std::move(launcher)),
      channel_(std::move(channel)),
      events_(epoll_create1(EPOLL_CLOEXEC)) {
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(events_.number(), EPOLL_CTL_ADD, timers_.descriptor(), &event);
  Replenish();
  TouchIdleTimer();
}

ProcessPool::~ProcessPool() {
  for (const auto& process : processes_)
    process->Kill();
}

bool ProcessPool::Watch(GuestProcess& process) {
  epoll_event event{};
  event.data.ptr = &process;
  event.events = EPOLLIN | EPOLLET;  // nobody has to read the eventfd
  if (epoll_ctl(events_.number(), EPOLL_CTL_ADD, process.wake(), &event) != 0) return false;
  event.events = EPOLLIN;
  return epoll_ctl(events_.number(), EPOLL_CTL_ADD, process.exit(), &event) == 0;
}

void ProcessPool::Replenish() {
  const auto takes_runs = [](const auto& process) { return process->TakesRuns(); };
  auto live = static_cast<size_t>(std::count_if(processes_.begin(), processes_.end(), takes_runs));
  for (; live < options_.processes; ++live) {
    auto process = GuestProcess::Launch(launcher_, OptionsOfEach(options_));
    if (!process || !Watch(*process)) return;
    process->patience = timers_.Set(options_.ready_patience, [this, one = process.get()] {
      if (one->state == State::kStarting) End(*one, StopCause::kCrashed);
    });
    processes_.push_back(std::move(process));
  }
}

GuestProcess* ProcessPool::Choose() {
  GuestProcess* chosen = nullptr;
  for (const auto& process : processes_) {
    if (!process->TakesRuns()) continue;
    if (chosen == nullptr || process->runs.size() < chosen->runs.size()) chosen = process.get();
  }
  return chosen;
}

ProcessPool::Place ProcessPool::Find(RunId run) {
  const auto place = places_.find(run);
  if (place == places_.end()) return {};
  return {place->second, place->second->runs.at(run).get()};
}

void ProcessPool::Settle(HostedRun& run, GuestResult result) {
  run.ledger.latch().Trip(result.cause);
  run.ledger.Settle(std::move(result), [this](const SettledFacts& facts) { totals_.Add(facts); });
}

void ProcessPool::Start(RunRequest request) {
  const RunId id = request.id;
  auto run = std::make_unique<HostedRun>(request, *channel_);
  if (is_closing_) return Settle(*run, {.cause = StopCause::kDisposed});
  if (places_.size() >= options_.pool.max_running + options_.pool.max_queued) {
    return Settle(*run, {.cause = StopCause::kQueueFull});
  }
  Replenish();
  GuestProcess* const process = Choose();
  if (process == nullptr) return Settle(*run, {.cause = StopCause::kExhausted});
  const Place place{process, run.get()};
  process->runs.emplace(id, std::move(run));
  places_.emplace(id, process);
  if (process->numbers.warm > 0) process->numbers.warm -= 1;
  timers_.Drop(idle_);
  if (place.run->limits.wall_us != kUnlimited) {
    // A process may take a while to start, however short the time that its guest has.
    const Clock::duration least =
        process->state == State::kStarting ? options_.start_patience : milliseconds(0);
    SetDeadline(place, id, std::max(WallOf(*place.run), least), StopCause::kDeadline);
  }
  process->Send(StartFrame{std::move(request)});
}

Timers::Clock::duration ProcessPool::WallOf(const HostedRun& run) const {
  constexpr auto kLongest = static_cast<uint64_t>(microseconds(kLongestWall).count());
  return microseconds(std::min(run.limits.wall_us, kLongest)) + options_.grace;
}

void ProcessPool::SetDeadline(const Place& place, RunId id, Clock::duration delay,
                              StopCause cause) {
  timers_.Drop(place.run->deadline);
  place.run->deadline = timers_.Set(delay, [this, id, cause] { AnswerWithout(id, cause); });
}

void ProcessPool::AnswerWithout(RunId id, StopCause cause) {
  const Place place = Find(id);
  if (place.run == nullptr) return;
  place.process->overdue.insert(id);
  if (place.process->state != State::kStarting) {
    timers_.Set(options_.silence, [this, id, process = place.process] {
      const auto has = [process](const auto& one) { return one.get() == process; };
      const bool is_there = std::any_of(processes_.begin(), processes_.end(), has);
      if (is_there && process->overdue.contains(id)) End(*process, StopCause::kCrashed);
    });
  }
  Answer(place, id, {.cause = cause});
}

void ProcessPool::Answer(const Place& place, RunId id, GuestResult result) {
  timers_.Drop(place.run->deadline);
  const auto run = std::move(place.process->runs.at(id));
  place.process->runs.erase(id);
  places_.erase(id);
  Settle(*run, std::move(result));
  EndIfDrained(*place.process);
  if (places_.empty()) TouchIdleTimer();
}

void ProcessPool::Post(RunId run, GuestMessage message) {
  const Place place = Find(run);
  if (place.run == nullptr) return;
  if (auto* const reply = std::get_if<ReplyMessage>(&message)) {
    place.run->ledger.EndCall(reply->call, reply->ok, reply->value.size());
    place.process->Send(ReplyFrame{run, std::move(*reply)});
  } else {
    auto& invoke = std::get<InvokeMessage>(message);
    place.run->invocations.insert(invoke.invocation);
    place.process->Send(InvokeFrame{run, std::move(invoke)});
  }
}

void ProcessPool::Stop(RunId run, StopCause cause, std::string reason) {
  const Place place = Find(run);
  if (place.run == nullptr || place.run->stop) return;
  place.run->stop = cause;
  place.run->ledger.SetReason(reason);
  place.process->Send(StopFrame{run, cause, std::move(reason)});
  if (place.process->state == State::kStarting) return AnswerWithout(run, cause);
  SetDeadline(place, run, options_.grace, cause);
}

void ProcessPool::Prewarm(uint64_t request, size_t count) {
  if (!is_closing_) Replenish();
  if (places_.empty()) TouchIdleTimer();
  std::vector<GuestProcess*> makers;
  for (const auto& process : processes_) {
    if (process->TakesRuns()) makers.push_back(process.get());
  }
  if (makers.empty()) return channel_->PostWarm(request);
  prewarms_[request] = makers.size();
  for (GuestProcess* const process : makers) {
    const size_t share = Share(count, makers.size());
    process->prewarms.emplace(request, share);
    process->Send(PrewarmFrame{request, share});
  }
}

void ProcessPool::NoteWarm(uint64_t request) {
  const auto place = prewarms_.find(request);
  if (place == prewarms_.end() || --place->second > 0) return;
  prewarms_.erase(place);
  channel_->PostWarm(request);
}

PoolStats ProcessPool::Stats() {
  PoolStats stats;
  ProcessStats& processes = stats.processes.emplace();
  processes.locks = locks_;
  for (const auto& process : processes_) {
    if (process->state == State::kEnded) continue;
    processes.count += 1;
    const NumbersFrame& numbers = process->numbers;
    const uint64_t open = process->runs.size();
    if (process->state == State::kStarting) {
      stats.threads += OptionsOfEach(options_).threads;
      stats.queued += open;
      continue;
    }
    // What has ended here is not under way, whatever was last heard; what is more than may run
    // waits.
    const uint64_t parked = std::min(numbers.parked, open);
    const uint64_t running = std::min(numbers.running, open - parked);
    const uint64_t admitted = std::min<uint64_t>(open, OptionsOfEach(options_).max_running);
    stats.threads += numbers.threads;
    stats.running += running;
    stats.parked += parked;
    stats.queued += std::max(open - admitted, std::min(numbers.queued, open - parked - running));
    stats.warm += numbers.warm;
    stats.stuck += numbers.stuck;
    if (!std::exchange(process->is_asked, true)) process->Send(AskFrame{});
  }
  totals_.Fill(stats);
  return stats;
}

void ProcessPool::Close() {
  if (std::exchange(is_closing_, true)) return;
  for (const auto& process : processes_) {
    if (process->state != State::kEnded) End(*process, StopCause::kDisposed);
  }
  AnnounceIfClosed();
}

void ProcessPool::AnnounceIfClosed() {
  if (!is_closing_ || !processes_.empty() || std::exchange(is_closed_, true)) return;
  timers_.Drop(idle_);
  channel_->PostClosed();
}

bool ProcessPool::WaitUntilClosed(milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  while (!is_closed_) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    pollfd ready{events_.number(), POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(std::max<int64_t>(left.count(), 0))) == 0) break;
    Attend();
  }
  return is_closed_;
}

void ProcessPool::End(GuestProcess& process, StopCause cause) {
  process.Kill();
  timers_.Drop(process.patience);
  process.overdue.clear();
  auto runs = std::exchange(process.runs, {});
  for (auto& [id, run] : runs) {
    timers_.Drop(run->deadline);
    places_.erase(id);
    Settle(*run, {.cause = run->stop.value_or(cause)});
  }
  for (const auto& [request, count] : std::exchange(process.prewarms, {}))
    NoteWarm(request);
  // After one that was good for nothing, another is only tried when somebody wants it.
  if (process.has_answered && cause == StopCause::kCrashed) Replenish();
  if (places_.empty()) TouchIdleTimer();
}

void ProcessPool::EndIfDrained(GuestProcess& process) {
  if (process.state != State::kDraining || !process.runs.empty()) return;
  End(process, StopCause::kNone);
}

void ProcessPool::TouchIdleTimer() {
  timers_.Drop(idle_);
  if (is_closing_) return;
  idle_ = timers_.Set(std::max(options_.pool.warm_idle, kShortestIdle), [this] {
    for (const auto& process : processes_) {
      if (process->state != State::kEnded) End(*process, StopCause::kNone);
    }
    timers_.Drop(idle_);
  });
}

void ProcessPool::Attend() {
  constexpr size_t kMost = 64;
  std::array<epoll_event, kMost> events{};
  const int count = epoll_wait(events_.number(), events.data(), kMost, 0);
  bool has_timer = false;
  for (int i = 0; i < count; ++i)
    has_timer = has_timer || events.at(i).data.ptr == nullptr;
  // Before it is known who has ended: what a process said before its end counts.
  std::vector<GuestProcess*> known;  // more may be started meanwhile
  for (const auto& process : processes_) {
    if (process->state != State::kEnded) known.push_back(process.get());
  }
  for (GuestProcess* const process : known) {
    if (!Serve(*process)) {
      End(*process, StopCause::kCrashed);
    } else {
      process->Flush();
    }
  }
  for (int i = 0; i < count; ++i) {
    auto* const process = static_cast<GuestProcess*>(events.at(i).data.ptr);
    if (process != nullptr) RemoveIfEnded(*process);
  }
  if (has_timer) timers_.Run();
  AnnounceIfClosed();
}

void ProcessPool::RemoveIfEnded(GuestProcess& process) {
  const auto is_it = [&process](const auto& one) { return one.get() == &process; };
  const auto place = std::find_if(processes_.begin(), processes_.end(), is_it);
  if (place == processes_.end()) return;
  pollfd exit{process.exit(), POLLIN, 0};
  if (poll(&exit, 1, 0) == 0) return;
  if (process.state != State::kEnded) End(process, StopCause::kCrashed);
  std::erase_if(processes_, is_it);
}

bool ProcessPool::HasNews() {
  return std::any_of(processes_.begin(), processes_.end(), [](const auto& process) {
    return process->state != State::kEnded && process->HasNews();
  });
}

bool ProcessPool::Rest() {
  bool has_news = false;
  for (const auto& process : processes_)
    has_news = (process->state != State::kEnded && process->Rest()) || has_news;
  return has_news;
}

bool ProcessPool::Serve(GuestProcess& process) {
  std::optional<ToHost> frame;
  for (size_t i = 0; i < kFramesPerTurn; ++i) {
    if (!process.Next(frame)) return false;
    if (!frame) return true;
    if (!Handle(process, *std::move(frame))) return false;
    if (process.state == State::kEnded) return true;
  }
  return true;
}

bool ProcessPool::Handle(GuestProcess& process, ToHost frame) {
  if (auto* const ready = std::get_if<ReadyFrame>(&frame)) return Handle(process, *ready);
  // Everything else comes after that.
  if (process.state == State::kStarting) return false;
  return std::visit([&](auto& one) { return Handle(process, one); }, frame);
}

bool ProcessPool::Handle(GuestProcess& process, ReadyFrame& frame) {
  const auto is_long = [](const std::string& lock) { return lock.size() > kLongestLock; };
  if (process.state != State::kStarting || frame.locks.size() > kMostLocks ||
      std::any_of(frame.locks.begin(), frame.locks.end(), is_long)) {
    return false;
  }
  process.state = State::kReady;
  process.numbers.threads = OptionsOfEach(options_).threads;
  timers_.Drop(process.patience);
  locks_ = std::move(frame.locks);
  // The clock of a run does not count the time its process took to start.
  for (const auto& [id, run] : process.runs) {
    run->queued_us = static_cast<uint64_t>(
        std::chrono::duration_cast<microseconds>(Clock::now() - run->submitted).count());
    if (run->limits.wall_us == kUnlimited) continue;
    SetDeadline({&process, run.get()}, id, WallOf(*run), StopCause::kDeadline);
  }
  return true;
}

bool ProcessPool::Handle(GuestProcess& process, CallEvent& event) {
  const auto place = process.runs.find(event.run);
  if (place == process.runs.end()) return process.overdue.contains(event.run);
  // Both ledgers count calls in the same order, so they give them the same numbers.
  CallId call = 0;
  return place->second->ledger.StartCall(event.slot, std::move(event.arguments), call) ==
             CallAdmission::kPassed &&
         call == event.call;
}

bool ProcessPool::Handle(GuestProcess& process, InvokedEvent& event) {
  const auto place = process.runs.find(event.run);
  if (place == process.runs.end()) return process.overdue.contains(event.run);
  if (place->second->invocations.erase(event.invocation) == 0) return false;
  place->second->ledger.PostInvoked(std::move(event));
  return true;
}

bool ProcessPool::Handle(GuestProcess& process, LogFrame& frame) {
  const auto place = process.runs.find(frame.run);
  if (place == process.runs.end()) return process.overdue.contains(frame.run);
  place->second->ledger.LogAgain(place->second->console, std::move(frame.entry));
  return true;
}

bool ProcessPool::Handle(GuestProcess& process, OutcomeFrame& frame) {
  if (process.overdue.erase(frame.run) > 0) return true;
  const auto place = process.runs.find(frame.run);
  RunOutcome& outcome = frame.outcome;
  if (place == process.runs.end() || outcome.cause == StopCause::kNone) return false;
  HostedRun& run = *place->second;
  if (!IsWithin(outcome.value, run.limits.result_bytes)) return false;
  for (LogEntry& entry : outcome.logs)
    run.ledger.LogAgain(run.console, std::move(entry));
  if (outcome.logs_truncated) run.ledger.MarkLogsTruncated();
  run.ledger.AddCpu(outcome.facts.cpu_us);
  run.ledger.NotePeakMemory(outcome.facts.peak_heap_bytes);
  run.ledger.NoteQueued(run.queued_us + outcome.facts.queued_us);
  run.ledger.SetReason(std::move(outcome.reason));
  process.has_answered = true;
  Answer({&process, &run}, frame.run,
         {outcome.cause, std::move(outcome.value), std::move(outcome.error)});
  return true;
}

bool ProcessPool::Handle(GuestProcess& process, WarmFrame& frame) {
  const auto place = process.prewarms.find(frame.request);
  if (place == process.prewarms.end()) return false;
  process.numbers.warm = std::max<uint64_t>(process.numbers.warm, place->second);
  process.prewarms.erase(place);
  NoteWarm(frame.request);
  return true;
}

bool ProcessPool::Handle(GuestProcess& process, NumbersFrame& frame) {
  process.numbers = frame;
  process.is_asked = false;
  // A process can be replaced, so it is not kept with threads that never come back.
  if (frame.stuck > 0 && process.state == State::kReady) {
    process.state = State::kDraining;
    Replenish();
    EndIfDrained(process);
  }
  return true;
}

}  // namespace isobox
