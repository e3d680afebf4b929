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

// A process takes longer to start than an isolate: it is kept for a while, however few are wanted.
constexpr milliseconds kShortestIdle{1000};
// A successor is started when less than this part of the runs is left.
constexpr uint64_t kFewRuns = 8;
// How often as long as it may be silent a process has to answer when it is asked to.
constexpr size_t kSilences = 3;
// Limits longer than this are as good as none; the clocks could not count them.
constexpr std::chrono::hours kLongestWall{24 * 365 * 100};

constexpr size_t Share(size_t all, size_t parts) { return (all + parts - 1) / parts; }

PoolOptions OptionsOfEach(const ProcessPoolOptions& options) {
  PoolOptions each = options.pool;
  each.threads = Share(each.threads, options.processes);
  each.warm_target = Share(each.warm_target, options.processes);
  each.max_running = Share(each.max_running, options.processes);
  each.most_runs = options.runs_per_process;
  each.max_queued = std::numeric_limits<size_t>::max();  // refused here, before they are sent
  return each;
}

// Why the runs of a process end with it, for people.
std::string EndOf(const GuestProcess& process) {
  if (process.memory_limit() == 0) return "The process of this guest did not get ready";
  return "The process of this guest ended, did not answer, or held more than the " +
         std::to_string(process.memory_limit() >> 20U) + " MiB that it may with its guests";
}

std::vector<RunId> InOrder(const GuestProcess& process) {
  std::vector<RunId> ids;
  ids.reserve(process.runs.size());
  for (const auto& [id, run] : process.runs)
    ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  return ids;
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

size_t ProcessPool::Count(const std::function<bool(const GuestProcess&)>& is_one) const {
  return static_cast<size_t>(
      std::count_if(processes_.begin(), processes_.end(),
                    [&is_one](const auto& process) { return is_one(*process); }));
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
  if (is_closing_) return;
  // The successor of one that has served nearly all of its runs is started before it is needed.
  const uint64_t few = options_.runs_per_process / kFewRuns;
  size_t lasting = Count([few](const GuestProcess& process) {
    return process.TakesRuns() && process.runs_left > few;
  });
  // One with threads that never come back holds up nobody else.
  size_t all = Count([](const GuestProcess& process) {
    return process.state != State::kEnded && process.numbers.stuck == 0;
  });
  for (; lasting < options_.processes && all < 2 * options_.processes; ++lasting, ++all) {
    auto process = GuestProcess::Launch(launcher_, OptionsOfEach(options_));
    if (!process || !Watch(*process)) return;
    process->patience = timers_.Set(options_.ready_patience, [this, one = process.get()] {
      if (one->state == State::kStarting) End(*one, StopCause::kCrashed);
    });
    processes_.push_back(std::move(process));
    started_ += 1;
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

HostedRun* ProcessPool::Find(RunId run) {
  const auto place = runs_.find(run);
  return place == runs_.end() ? nullptr : place->second.get();
}

void ProcessPool::Settle(HostedRun& run, GuestResult result) {
  run.ledger.latch().Trip(result.cause);
  run.ledger.Settle(std::move(result), [this](const SettledFacts& facts) { totals_.Add(facts); });
}

void ProcessPool::Start(RunRequest request) {
  auto entered = std::make_unique<HostedRun>(request, *channel_);
  if (is_closing_) return Settle(*entered, {.cause = StopCause::kDisposed});
  if (runs_.size() >= options_.pool.max_running + options_.pool.max_queued) {
    return Settle(*entered, {.cause = StopCause::kQueueFull});
  }
  const RunId id = request.id;
  HostedRun& run = *entered;
  run.request = std::move(request);
  runs_.emplace(id, std::move(entered));
  waiting_.push_back(id);
  timers_.Drop(idle_);
  // A process may take a while to start, however short the time that its guest has.
  if (run.limits.wall_us != kUnlimited) {
    SetDeadline(run, std::max<Clock::duration>(WallOf(run), options_.start_patience),
                StopCause::kDeadline);
  }
  GiveOut();
}

void ProcessPool::GiveOut() {
  if (is_closing_) return;
  Replenish();
  while (!waiting_.empty()) {
    GuestProcess* const process = Choose();
    if (process == nullptr) break;
    Give(*Find(waiting_.front()), *process);
    waiting_.pop_front();
  }
  if (Count([](const GuestProcess& one) { return one.state != State::kEnded; }) > 0) return;
  while (!waiting_.empty())
    Answer(*Find(waiting_.front()), {.cause = StopCause::kExhausted});
}

void ProcessPool::Give(HostedRun& run, GuestProcess& process) {
  run.process = &process;
  process.runs.emplace(run.id, &run);
  if (process.numbers.warm > 0) process.numbers.warm -= 1;
  if (process.runs_left != kUnlimited) process.runs_left -= 1;
  if (process.state == State::kReady) {
    process.RaiseMemoryLimit();
    KeepLooking(process);
    Send(run);
  }
  Replenish();
}

void ProcessPool::Send(HostedRun& run) {
  NoteReady(run);
  // The clock of a run does not count the time its process took to start.
  if (run.limits.wall_us != kUnlimited) SetDeadline(run, WallOf(run), StopCause::kDeadline);
  run.process->Send(StartFrame{*std::exchange(run.request, std::nullopt)});
}

void ProcessPool::TakeBack(GuestProcess& process) {
  std::vector<RunId> ids = InOrder(process);
  std::erase_if(
      ids, [&process](RunId id) { return std::exchange(process.runs.at(id)->has_moved, true); });
  for (const RunId id : ids) {
    process.runs.at(id)->process = nullptr;
    process.runs.erase(id);
  }
  waiting_.insert(waiting_.begin(), ids.begin(), ids.end());
}

void ProcessPool::NoteReady(HostedRun& run) {
  run.queued_us = static_cast<uint64_t>(
      std::chrono::duration_cast<microseconds>(Clock::now() - run.submitted).count());
}

Timers::Clock::duration ProcessPool::WallOf(const HostedRun& run) const {
  constexpr auto kLongest = static_cast<uint64_t>(microseconds(kLongestWall).count());
  return microseconds(std::min(run.limits.wall_us, kLongest)) + options_.grace;
}

void ProcessPool::SetDeadline(HostedRun& run, Clock::duration delay, StopCause cause) {
  timers_.Drop(run.deadline);
  run.deadline = timers_.Set(delay, [this, &run, cause] { AnswerWithout(run, cause); });
}

void ProcessPool::AnswerWithout(HostedRun& run, StopCause cause) {
  const RunId id = run.id;
  GuestProcess* const process = run.process;
  if (process != nullptr && process->state != State::kStarting) {
    process->overdue.insert(id);
    timers_.Set(options_.silence, [this, id, process] {
      const bool is_there =
          Count([process](const GuestProcess& one) { return &one == process; }) > 0;
      if (is_there && process->overdue.contains(id)) End(*process, StopCause::kCrashed);
    });
  }
  Answer(run, {.cause = cause});
}

void ProcessPool::Answer(HostedRun& run, GuestResult result) {
  timers_.Drop(run.deadline);
  const auto entry = runs_.extract(run.id);
  GuestProcess* const process = run.process;
  if (process == nullptr) {
    std::erase(waiting_, run.id);
  } else {
    process->runs.erase(run.id);
  }
  Settle(run, std::move(result));
  if (process != nullptr) EndIfUsedUp(*process);
  if (runs_.empty()) TouchIdleTimer();
}

void ProcessPool::Post(RunId id, GuestMessage message) {
  HostedRun* const run = Find(id);
  if (run == nullptr || run->request) return;  // no process has it yet
  if (auto* const reply = std::get_if<ReplyMessage>(&message)) {
    run->ledger.EndCall(reply->call, reply->ok, reply->value.size());
    run->process->Send(ReplyFrame{id, std::move(*reply)});
  } else {
    auto& invoke = std::get<InvokeMessage>(message);
    run->invocations.insert(invoke.invocation);
    run->process->Send(InvokeFrame{id, std::move(invoke)});
  }
}

void ProcessPool::Stop(RunId id, StopCause cause, std::string reason) {
  HostedRun* const run = Find(id);
  if (run == nullptr || run->stop) return;
  run->stop = cause;
  run->ledger.SetReason(reason);
  // No process has it yet.
  if (run->request) return Answer(*run, {.cause = cause});
  run->process->Send(StopFrame{id, cause, std::move(reason)});
  SetDeadline(*run, options_.grace, cause);
}

void ProcessPool::Prewarm(uint64_t request, size_t count) {
  Replenish();
  if (runs_.empty()) TouchIdleTimer();
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

void ProcessPool::OnWarm(uint64_t request) {
  const auto place = prewarms_.find(request);
  if (place == prewarms_.end() || --place->second > 0) return;
  prewarms_.erase(place);
  channel_->PostWarm(request);
}

PoolStats ProcessPool::Stats() {
  PoolStats stats;
  ProcessStats& processes = stats.processes.emplace();
  processes.locks = locks_;
  processes.started = started_;
  stats.queued = runs_.size();  // less those that have a process
  for (const auto& process : processes_) {
    if (process->state == State::kEnded) continue;
    processes.count += 1;
    processes.forked += process->Inherits() ? 1 : 0;
    stats.queued -= process->runs.size();
    process->AddTo(stats);
  }
  totals_.Fill(stats);
  return stats;
}

void ProcessPool::Close() {
  if (std::exchange(is_closing_, true)) return;
  for (const auto& process : processes_) {
    if (process->state != State::kEnded) End(*process, StopCause::kDisposed);
  }
  while (!waiting_.empty())
    Answer(*Find(waiting_.front()), {.cause = StopCause::kDisposed});
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
  timers_.Drop(process.next_look);
  process.overdue.clear();
  for (const auto& [id, run] : std::exchange(process.runs, {})) {
    if (cause == StopCause::kCrashed && !run->stop) run->ledger.SetReason(EndOf(process));
    Answer(*run, {.cause = run->stop.value_or(cause)});
  }
  for (const auto& [request, count] : std::exchange(process.prewarms, {}))
    OnWarm(request);
  // After one that was good for nothing, another is only tried when somebody wants it.
  if ((process.has_answered && cause == StopCause::kCrashed) || !waiting_.empty()) GiveOut();
  if (runs_.empty()) TouchIdleTimer();
}

void ProcessPool::KeepLooking(GuestProcess& process) {
  if (std::exchange(process.is_looked_at, true)) return;
  process.next_look = timers_.Set(options_.look, [this, &process] { LookAt(process); });
}

void ProcessPool::LookAt(GuestProcess& process) {
  process.is_looked_at = false;
  if (process.runs.empty()) return;
  if (process.IsOverMemoryLimit()) return End(process, StopCause::kCrashed);
  const auto looks = static_cast<size_t>(std::max<int64_t>(1, options_.silence / options_.look));
  process.silent_looks = process.has_spoken ? 0 : process.silent_looks + 1;
  if (process.silent_looks > (1 + kSilences) * looks) return End(process, StopCause::kCrashed);
  const bool is_silent = process.silent_looks >= looks;
  if (is_silent && !std::exchange(process.is_asked, true)) process.Send(AskFrame{});
  process.has_spoken = false;
  KeepLooking(process);
}

void ProcessPool::EndIfUsedUp(GuestProcess& process) {
  if (process.state == State::kEnded || process.runs_left > 0 || !process.runs.empty()) return;
  End(process, StopCause::kNone);
  GiveOut();
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
    if (!desk_.Serve(*process)) {
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
  if (!process.HasEnded()) return;
  if (process.state == State::kStarting) TakeBack(process);
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

void ProcessPool::OnReady(GuestProcess& process, std::vector<std::string> locks) {
  timers_.Drop(process.patience);
  locks_ = std::move(locks);
  process.RaiseMemoryLimit();
  if (!process.runs.empty()) KeepLooking(process);
  for (const RunId id : InOrder(process))
    Send(*process.runs.at(id));
}

void ProcessPool::OnNumbers(GuestProcess& process) {
  // A process can be replaced, so it is not kept with threads that never come back.
  if (process.numbers.stuck == 0 || process.runs_left == 0) return;
  process.runs_left = 0;
  Replenish();
  EndIfUsedUp(process);
}

}  // namespace isobox
