#include "binding/loop_channel.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "binding/to_js.h"

namespace isobox {
namespace {

constexpr uint64_t kSliceNs = 4000000;
// How long to wait for the call after a reply, and for how long to go on like that.
constexpr uint64_t kLingerNs = 40000;
constexpr uint64_t kLingeringNs = 1000000;

// What one run may take before it is another's turn.
constexpr uint64_t kTurnNs = 1000000;
constexpr size_t kLogBatch = 256;

// Empty for an event of the pool.
template <typename Event>
std::optional<RunId> RunOf(const Event& event) {
  return std::visit(
      [](const auto& one) -> std::optional<RunId> {
        if constexpr (requires { one.run; }) return one.run;
        return std::nullopt;
      },
      event);
}

}  // namespace

Payload* LoopChannel::ValueIn(Event& event) {
  if (auto* const call = std::get_if<CallEvent>(&event)) return &call->arguments;
  if (auto* const invoked = std::get_if<InvokedEvent>(&event)) {
    return invoked->ok ? &invoked->value : nullptr;
  }
  auto* const ended = std::get_if<OutcomeEvent>(&event);
  const bool has_value = ended != nullptr && ended->outcome.cause == StopCause::kFinished;
  return has_value ? &ended->outcome.value : nullptr;
}

LoopChannel::LoopChannel(Napi::Env env) : env_(env) {}

void LoopChannel::Open(Napi::Object handlers) {
  const auto hold = [&handlers](const char* name) {
    return Napi::Persistent(handlers.Get(name).As<Napi::Function>());
  };
  on_call_ = hold("onCall");
  on_invoked_ = hold("onInvoked");
  on_log_ = hold("onLog");
  on_outcome_ = hold("onOutcome");
  on_warm_ = hold("onWarm");
  on_closed_ = hold("onClosed");
  make_proxy_ = hold("guestFunction");
  append_ = hold("append");
  async_context_ = std::make_unique<Napi::AsyncContext>(env_, "isobox");
  uv_loop_t* loop = nullptr;
  napi_get_uv_event_loop(env_, &loop);
  auto* const wake = new Wake();
  wake->channel = weak_from_this();
  wake->async.data = wake;
  uv_async_init(loop, &wake->async, [](uv_async_t* async) {
    if (const auto channel = static_cast<Wake*>(async->data)->channel.lock()) channel->Drain();
  });
  uv_unref(reinterpret_cast<uv_handle_t*>(&wake->async));
  state_.Lock()->wake = wake;
}

void LoopChannel::Follow(std::shared_ptr<EventSource> source) {
  source_ = std::move(source);
  uv_loop_t* loop = nullptr;
  napi_get_uv_event_loop(env_, &loop);
  poll_ = new Poll();
  poll_->channel = weak_from_this();
  poll_->poll.data = poll_;
  uv_poll_init(loop, &poll_->poll, source_->descriptor());
  uv_poll_start(&poll_->poll, UV_READABLE, [](uv_poll_t* poll, int /*status*/, int /*events*/) {
    if (const auto channel = static_cast<Poll*>(poll->data)->channel.lock()) channel->Drain();
  });
  uv_unref(reinterpret_cast<uv_handle_t*>(&poll_->poll));
  source_->Rest();
}

void LoopChannel::Shut() {
  Wake* wake = nullptr;
  {
    auto state = state_.Lock();
    wake = std::exchange(state->wake, nullptr);
    state->events.clear();
  }
  if (wake == nullptr) return;
  runs_.clear();
  ready_.clear();
  pool_events_.clear();
  uv_close(reinterpret_cast<uv_handle_t*>(&wake->async),
           [](uv_handle_t* handle) { delete static_cast<Wake*>(handle->data); });
  if (Poll* const poll = std::exchange(poll_, nullptr)) {
    uv_close(reinterpret_cast<uv_handle_t*>(&poll->poll),
             [](uv_handle_t* handle) { delete static_cast<Poll*>(handle->data); });
    source_.reset();
  }
  for (Napi::FunctionReference* const handler : {&on_call_, &on_invoked_, &on_log_, &on_outcome_,
                                                 &on_warm_, &on_closed_, &make_proxy_, &append_}) {
    handler->Reset();
  }
  async_context_.reset();
}

void LoopChannel::Expect() {
  auto state = state_.Lock();
  if (state->wake == nullptr || expected_++ > 0) return;
  uv_ref(reinterpret_cast<uv_handle_t*>(&state->wake->async));
}

void LoopChannel::Release() {
  auto state = state_.Lock();
  if (state->wake == nullptr || --expected_ > 0) return;
  uv_unref(reinterpret_cast<uv_handle_t*>(&state->wake->async));
}

void LoopChannel::TrackRun(RunId run, RunRules rules) {
  runs_[run].rules = rules;
  Expect();
}

RunRules LoopChannel::RulesOf(RunId run) const {
  const auto place = runs_.find(run);
  return place == runs_.end() ? RunRules{} : place->second.rules;
}

void LoopChannel::Post(Event event) {
  auto state = state_.Lock();
  if (state->wake == nullptr) return;
  state->events.push_back(std::move(event));
  WakeLoop(*state);
}

void LoopChannel::PostLog(RunId run, LogEntry entry) {
  auto state = state_.Lock();
  if (state->wake == nullptr) return;
  auto* const last = state->events.empty() ? nullptr : std::get_if<LogEvent>(&state->events.back());
  if (last != nullptr && last->run == run && last->entries.size() < kLogBatch) {
    last->entries.push_back(std::move(entry));
    return;
  }
  auto& event = std::get<LogEvent>(state->events.emplace_back(LogEvent{run, {}}));
  event.entries.push_back(std::move(entry));
  WakeLoop(*state);
}

void LoopChannel::WakeLoop(State& state) {
  has_events_ = true;
  // Later events of the batch are taken along by the wake that is under way.
  if (state.events.size() == 1 && !state.is_attended) uv_async_send(&state.wake->async);
}

void LoopChannel::AttendToSource() {
  state_.Lock()->is_attended = true;
  source_->Attend();
  state_.Lock()->is_attended = false;
}

void LoopChannel::Collect() {
  if (source_) AttendToSource();
  std::vector<Event> events;
  events.swap(state_.Lock()->events);
  for (Event& event : events) {
    const auto id = RunOf(event);
    if (!id) {
      pool_events_.push_back(std::move(event));
      continue;
    }
    const auto place = runs_.find(*id);
    if (place == runs_.end()) continue;
    HostedRun& run = place->second;
    const auto* const ended = std::get_if<OutcomeEvent>(&event);
    if (ended != nullptr && WasStopped(ended->outcome.cause)) run.DropAllButLogs();
    run.events.push_back(std::move(event));
    if (!std::exchange(run.is_ready, true)) ready_.push_back(*id);
  }
}

void LoopChannel::HostedRun::DropAllButLogs() {
  reader.reset();
  events.remove_if([](const Event& event) { return !std::holds_alternative<LogEvent>(event); });
}

void LoopChannel::Drain() {
  const auto self = shared_from_this();  // a handler may shut the channel
  const uint64_t start = uv_hrtime();
  do {
    has_replied_ = false;
    if (!HandOver(start + kSliceNs)) return;
  } while (!HasWork() && has_replied_ && uv_hrtime() < start + kLingeringNs && Linger());
  const bool has_news = source_ && source_->Rest();
  if (!HasWork() && !has_news) return;
  auto state = state_.Lock();
  if (state->wake != nullptr) uv_async_send(&state->wake->async);
}

bool LoopChannel::HandOver(uint64_t deadline) {
  Collect();
  const Napi::HandleScope batch(env_);
  const Napi::CallbackScope callbacks(env_, *async_context_);
  while (HasWork() && uv_hrtime() < deadline) {
    const Napi::HandleScope scope(env_);
    if (ready_.empty()) {
      HandOverPoolEvent();
    } else {
      const RunId run = ready_.front();
      ready_.pop_front();
      Serve(run, std::min(deadline, uv_hrtime() + kTurnNs));
    }
    // A Worker that is being terminated can run no more JS; its cleanup hook follows.
    if (v8::Isolate::GetCurrent()->IsExecutionTerminating() || !IsOpen()) return false;
  }
  return true;
}

void LoopChannel::Serve(RunId id, uint64_t deadline) {
  HostedRun& run = runs_.find(id)->second;
  const ValueProfile profile = run.rules.profile;
  HostFunctionPort port(env_, id, Napi::Object(), MakeProxyFunction());
  std::optional<Napi::Value> value;
  if (Payload* const payload = ValueIn(run.events.front())) {
    if (!run.reader && TakesLong(*payload, profile)) {
      run.reader = std::make_unique<HostReader>(std::move(*payload), profile, append_.Value());
    }
    if (!run.reader) {
      value = Decode(env_, std::move(*payload), profile, port);
    } else if (run.reader->ReadUntil(deadline, port)) {
      value = run.reader->Result(env_);
      run.reader.reset();
    } else {
      ready_.push_back(id);
      return;
    }
  }
  Event event = std::move(run.events.front());
  run.events.pop_front();
  run.is_ready = !run.events.empty();
  if (run.is_ready) ready_.push_back(id);
  // From here on a handler may start runs and end this one.
  if (auto* const call = std::get_if<CallEvent>(&event)) return Handle(*call, value);
  if (auto* const invoked = std::get_if<InvokedEvent>(&event)) return Handle(*invoked, value);
  if (auto* const logs = std::get_if<LogEvent>(&event)) return Handle(*logs, run);
  Handle(std::get<OutcomeEvent>(event), value);
}

bool LoopChannel::Linger() {
  {
    auto state = state_.Lock();
    if (state->wake == nullptr) return false;
    if (!state->events.empty()) return true;
    state->is_attended = true;
    has_events_ = false;
  }
  const uint64_t deadline = uv_hrtime() + kLingerNs;
  const auto has_news = [this] { return has_events_ || (source_ && source_->HasNews()); };
  while (!has_news() && uv_hrtime() < deadline)
    std::this_thread::yield();
  auto state = state_.Lock();
  state->is_attended = false;
  return !state->events.empty() || has_news();
}

void LoopChannel::Call(const Napi::FunctionReference& handler,
                       const std::vector<napi_value>& arguments) {
  handler.Value().Call(env_.Undefined(), arguments);
  if (!env_.IsExceptionPending()) return;
  // lib/'s handlers do not throw; what gets here is treated as any uncaught exception.
  const Napi::Error error = env_.GetAndClearPendingException();
  napi_fatal_exception(env_, error.Value());
}

void LoopChannel::Handle(CallEvent& event, const Value& arguments) {
  Call(on_call_,
       {Napi::Number::New(env_, static_cast<double>(event.run)),
        Napi::Number::New(env_, static_cast<double>(event.call)),
        Napi::Number::New(env_, static_cast<double>(event.slot)),
        arguments ? *arguments : env_.Undefined(), Napi::Boolean::New(env_, arguments.has_value()),
        Napi::Number::New(env_, static_cast<double>(event.arguments.cost.bytes))});
}

void LoopChannel::Handle(InvokedEvent& event, const Value& value) {
  Napi::Value answer = value ? *value : env_.Undefined();
  if (!event.ok) answer = to_js::FromErrorReport(env_, event.error);
  Call(on_invoked_, {Napi::Number::New(env_, static_cast<double>(event.run)),
                     Napi::Number::New(env_, static_cast<double>(event.invocation)),
                     Napi::Boolean::New(env_, event.ok), answer});
}

void LoopChannel::Handle(LogEvent& event, HostedRun& run) {
  const auto logs = to_js::FromLogs(env_, std::move(event.entries), run.rules, run.log_ns);
  Call(on_log_,
       {Napi::Number::New(env_, static_cast<double>(event.run)), logs.contents, logs.numbers});
}

void LoopChannel::Handle(OutcomeEvent& event, const Value& value) {
  const auto place = runs_.find(event.run);
  const HostedRun& run = place->second;
  auto arguments = to_js::FromOutcome(env_, event.outcome, value, run.rules, run.log_ns);
  arguments.insert(arguments.begin(), Napi::Number::New(env_, static_cast<double>(event.run)));
  runs_.erase(place);
  Release();
  Call(on_outcome_, arguments);
}

void LoopChannel::HandOverPoolEvent() {
  const Event event = std::move(pool_events_.front());
  pool_events_.pop_front();
  Release();
  if (const auto* const warm = std::get_if<WarmEvent>(&event)) {
    Call(on_warm_, {Napi::Number::New(env_, static_cast<double>(warm->request))});
  } else {
    Call(on_closed_, {});
  }
}

}  // namespace isobox
