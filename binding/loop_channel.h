#pragma once
// The host's end of the channel: events from any thread, handed to lib/'s handlers on the loop
// thread, one wake per batch.

#include <napi.h>
#include <uv.h>

#include <atomic>
#include <deque>
#include <memory>
#include <unordered_map>
#include <variant>
#include <vector>

#include "binding/host_values.h"
#include "native/core/guarded.h"
#include "native/core/host_channel.h"

namespace isobox {

class LoopChannel final : public HostChannel, public std::enable_shared_from_this<LoopChannel> {
 public:
  // Loop thread.
  explicit LoopChannel(Napi::Env env);
  LoopChannel(const LoopChannel&) = delete;
  LoopChannel& operator=(const LoopChannel&) = delete;
  ~LoopChannel() override = default;

  // Opens the channel to these handlers. Once, after construction.
  void Open(Napi::Object handlers);
  // Drops what is queued and everything after it. Idempotent.
  void Shut();

  // After Shut nobody can be answered any more.
  bool IsOpen() { return state_.Lock()->wake != nullptr; }

  // The loop stays alive while something is expected. Loop thread.
  void Expect();
  // How a run's values cross, until its outcome has been handed over. Loop thread.
  void TrackRun(RunId run, RunRules rules);
  RunRules RulesOf(RunId run) const;
  Napi::Function MakeProxyFunction() const { return make_proxy_.Value(); }
  // A guest was answered and may soon call again. Loop thread.
  void NoteReply() { has_replied_ = true; }

  // Any thread.
  void PostCall(CallEvent event) override { Post(std::move(event)); }
  void PostInvoked(InvokedEvent event) override { Post(std::move(event)); }
  void PostLog(RunId run, LogEntry entry) override { Post(LogEvent{run, std::move(entry)}); }
  void PostOutcome(RunId run, RunOutcome outcome) override {
    Post(OutcomeEvent{run, std::move(outcome)});
  }
  void PostWarm(uint64_t request) override { Post(WarmEvent{request}); }
  void PostClosed() override { Post(ClosedEvent{}); }

 private:
  struct LogEvent {
    RunId run;
    LogEntry entry;
  };
  struct OutcomeEvent {
    RunId run;
    RunOutcome outcome;
  };
  struct WarmEvent {
    uint64_t request;
  };
  struct ClosedEvent {};
  using Event =
      std::variant<CallEvent, InvokedEvent, LogEvent, OutcomeEvent, WarmEvent, ClosedEvent>;

  // Owned by the loop: freed when the loop has closed the handle.
  struct Wake {
    uv_async_t async{};
    std::weak_ptr<LoopChannel> channel;
  };
  struct State {
    std::vector<Event> events;
    Wake* wake = nullptr;      // null before Open and after Shut
    bool is_attended = false;  // the loop thread looks at the events by itself
  };

  void Post(Event event);
  // Hands over what has come, for a few milliseconds at most; the rest waits for the next turn of
  // the loop, so that no guest can hold it up.
  void Drain();
  // What has come by now. False when nobody can be called any more.
  bool HandOver(uint64_t deadline);
  // After a reply the next call is often near: waits for it a moment, which spares both threads the
  // way through the system. True when something has come.
  bool Linger();
  // Takes what threads have posted; calls of runs that were stopped are dropped.
  void Collect();
  void Release();
  void Handle(CallEvent& event);
  void Handle(InvokedEvent& event);
  void Handle(LogEvent& event);
  void Handle(OutcomeEvent& event);
  void Handle(WarmEvent& event);
  void Handle(ClosedEvent& event);
  void Call(const Napi::FunctionReference& handler, const std::vector<napi_value>& arguments);

  Napi::Env env_;
  // lib/'s handlers, held one by one: a Worker that is being terminated can look up nothing.
  Napi::FunctionReference on_call_;
  Napi::FunctionReference on_invoked_;
  Napi::FunctionReference on_log_;
  Napi::FunctionReference on_outcome_;
  Napi::FunctionReference on_warm_;
  Napi::FunctionReference on_closed_;
  Napi::FunctionReference make_proxy_;
  std::unique_ptr<Napi::AsyncContext> async_context_;
  std::unordered_map<RunId, RunRules> runs_;
  std::deque<Event> collected_;
  size_t expected_ = 0;
  bool has_replied_ = false;
  std::atomic<bool> has_events_{false};  // as far as can be told without the lock
  Guarded<State> state_;
};

}  // namespace isobox
