#include "binding/loop_channel.h"

#include <thread>
#include <utility>

#include "binding/to_js.h"

namespace isobox {
namespace {

constexpr uint64_t kSliceNs = 4000000;
// How long to wait for the call after a reply, and for how long to go on like that.
constexpr uint64_t kLingerNs = 40000;
constexpr uint64_t kLingeringNs = 1000000;

// Ended from outside, rather than by its own end: calls under way are no longer wanted.
bool WasStopped(StopCause cause) {
  switch (cause) {
    case StopCause::kDeadline:
    case StopCause::kCpu:
    case StopCause::kMemory:
    case StopCause::kCalls:
    case StopCause::kTerminated:
    case StopCause::kExhausted:
    case StopCause::kDisposed:
    case StopCause::kCrashed:
      return true;
    default:
      return false;
  }
}

}  // namespace

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

void LoopChannel::Shut() {
  Wake* wake = nullptr;
  {
    auto state = state_.Lock();
    wake = std::exchange(state->wake, nullptr);
    state->events.clear();
  }
  if (wake == nullptr) return;
  uv_close(reinterpret_cast<uv_handle_t*>(&wake->async),
           [](uv_handle_t* handle) { delete static_cast<Wake*>(handle->data); });
  for (Napi::FunctionReference* const handler :
       {&on_call_, &on_invoked_, &on_log_, &on_outcome_, &on_warm_, &on_closed_, &make_proxy_}) {
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
  runs_.emplace(run, rules);
  Expect();
}

RunRules LoopChannel::RulesOf(RunId run) const {
  const auto place = runs_.find(run);
  return place == runs_.end() ? RunRules{} : place->second;
}

void LoopChannel::Post(Event event) {
  auto state = state_.Lock();
  if (state->wake == nullptr) return;
  state->events.push_back(std::move(event));
  has_events_ = true;
  // Later events of the batch are taken along by the wake that is under way.
  if (state->events.size() == 1 && !state->is_attended) uv_async_send(&state->wake->async);
}

void LoopChannel::Collect() {
  std::vector<Event> events;
  events.swap(state_.Lock()->events);
  for (Event& event : events) {
    const auto* const ended = std::get_if<OutcomeEvent>(&event);
    if (ended != nullptr && WasStopped(ended->outcome.cause)) {
      std::erase_if(collected_, [run = ended->run](const Event& earlier) {
        const auto* const call = std::get_if<CallEvent>(&earlier);
        return call != nullptr && call->run == run;
      });
    }
    collected_.push_back(std::move(event));
  }
}

void LoopChannel::Drain() {
  const auto self = shared_from_this();  // a handler may shut the channel
  const uint64_t start = uv_hrtime();
  do {
    has_replied_ = false;
    if (!HandOver(start + kSliceNs)) return collected_.clear();
  } while (collected_.empty() && has_replied_ && uv_hrtime() < start + kLingeringNs && Linger());
  if (collected_.empty()) return;
  auto state = state_.Lock();
  if (state->wake != nullptr) uv_async_send(&state->wake->async);
}

bool LoopChannel::HandOver(uint64_t deadline) {
  Collect();
  const Napi::HandleScope batch(env_);
  const Napi::CallbackScope callbacks(env_, *async_context_);
  while (!collected_.empty()) {
    Event event = std::move(collected_.front());
    collected_.pop_front();
    const Napi::HandleScope scope(env_);
    std::visit([this](auto& one) { Handle(one); }, event);
    // A Worker that is being terminated can run no more JS; its cleanup hook follows.
    if (v8::Isolate::GetCurrent()->IsExecutionTerminating() || !IsOpen()) return false;
    if (uv_hrtime() >= deadline) break;
  }
  return true;
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
  while (!has_events_ && uv_hrtime() < deadline)
    std::this_thread::yield();
  auto state = state_.Lock();
  state->is_attended = false;
  return !state->events.empty();
}

void LoopChannel::Call(const Napi::FunctionReference& handler,
                       const std::vector<napi_value>& arguments) {
  handler.Value().Call(env_.Undefined(), arguments);
  if (!env_.IsExceptionPending()) return;
  // lib/'s handlers do not throw; what gets here is treated as any uncaught exception.
  const Napi::Error error = env_.GetAndClearPendingException();
  napi_fatal_exception(env_, error.Value());
}

void LoopChannel::Handle(CallEvent& event) {
  HostFunctionPort port(env_, event.run, Napi::Object(), MakeProxyFunction());
  const auto arguments = Decode(env_, std::move(event.arguments), RulesOf(event.run), port);
  Call(on_call_, {Napi::Number::New(env_, static_cast<double>(event.run)),
                  Napi::Number::New(env_, static_cast<double>(event.call)),
                  Napi::Number::New(env_, static_cast<double>(event.slot)),
                  arguments ? *arguments : env_.Undefined(),
                  Napi::Boolean::New(env_, arguments.has_value())});
}

void LoopChannel::Handle(InvokedEvent& event) {
  HostFunctionPort port(env_, event.run, Napi::Object(), MakeProxyFunction());
  Napi::Value answer = env_.Undefined();
  if (!event.ok) {
    answer = to_js::FromErrorReport(env_, event.error);
  } else if (const auto value = Decode(env_, std::move(event.value), RulesOf(event.run), port)) {
    answer = *value;
  }
  Call(on_invoked_, {Napi::Number::New(env_, static_cast<double>(event.run)),
                     Napi::Number::New(env_, static_cast<double>(event.invocation)),
                     Napi::Boolean::New(env_, event.ok), answer});
}

void LoopChannel::Handle(LogEvent& event) {
  HostFunctionPort port(env_, event.run, Napi::Object(), MakeProxyFunction());
  Call(on_log_, {Napi::Number::New(env_, static_cast<double>(event.run)),
                 to_js::FromLogEntry(env_, event.entry, RulesOf(event.run), port)});
}

void LoopChannel::Handle(OutcomeEvent& event) {
  HostFunctionPort port(env_, event.run, Napi::Object(), MakeProxyFunction());
  auto arguments = to_js::FromOutcome(env_, event.outcome, RulesOf(event.run), port);
  arguments.insert(arguments.begin(), Napi::Number::New(env_, static_cast<double>(event.run)));
  runs_.erase(event.run);
  Release();
  Call(on_outcome_, arguments);
}

void LoopChannel::Handle(WarmEvent& event) {
  Release();
  Call(on_warm_, {Napi::Number::New(env_, static_cast<double>(event.request))});
}

void LoopChannel::Handle(ClosedEvent& /*event*/) {
  Release();
  Call(on_closed_, {});
}

}  // namespace isobox
