#pragma once
// The host's end of the channel: events from any thread, handed to lib/'s handlers on the loop
// thread: one wake per batch, each run in turn, values that take long in pieces.

#include <napi.h>
#include <uv.h>

#include <atomic>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "binding/host_values.h"
#include "native/core/guarded.h"
#include "native/core/host_channel.h"
#include "native/process/event_source.h"

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
  // Attends to a source whose events come here, on the loop thread, as long as the channel is open.
  void Follow(std::shared_ptr<EventSource> source);
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
  void PostLog(RunId run, LogEntry entry) override;
  void PostOutcome(RunId run, RunOutcome outcome) override {
    Post(OutcomeEvent{run, std::move(outcome)});
  }
  void PostWarm(uint64_t request) override { Post(WarmEvent{request}); }
  void PostClosed() override { Post(ClosedEvent{}); }

 private:
  struct LogEvent {
    RunId run;
    std::vector<LogEntry> entries;
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

  // What has come from one run and is not handed over yet, in its order.
  struct HostedRun {
    // The run was stopped: nobody wants the rest any more.
    void DropAllButLogs();

    RunRules rules;
    std::list<Event> events;
    std::unique_ptr<HostReader> reader;  // of the first event's value, where that takes long
    bool is_ready = false;               // among those that wait for their turn
    uint64_t log_ns = 0;                 // what its logs have taken to rebuild
  };

  // Owned by the loop: freed when the loop has closed the handle.
  struct Wake {
    uv_async_t async{};
    std::weak_ptr<LoopChannel> channel;
  };
  // Of the source that is followed; owned as Wake is.
  struct Poll {
    uv_poll_t poll{};
    std::weak_ptr<LoopChannel> channel;
  };
  struct State {
    std::vector<Event> events;
    Wake* wake = nullptr;      // null before Open and after Shut
    bool is_attended = false;  // the loop thread looks at the events by itself
  };

  void Post(Event event);
  // With the state locked, after an event was added.
  void WakeLoop(State& state);
  // Hands over what has come, for a few milliseconds at most; the rest waits for the next turn of
  // the loop, so that no guest can hold it up.
  void Drain();
  // What has come by now, a little of each run in turn. False when nobody can be called any more.
  bool HandOver(uint64_t deadline);
  // After a reply the next call is often near: waits for it a moment, which spares both threads the
  // way through the system. True when something has come.
  bool Linger();
  // Has the source post what has come, without waking the loop for it.
  void AttendToSource();
  // Takes what threads have posted; calls of runs that were stopped are dropped.
  void Collect();
  bool HasWork() const { return !ready_.empty() || !pool_events_.empty(); }
  // Hands over the first event of a run, unless its value needs more time than there is.
  void Serve(RunId id, uint64_t deadline);
  // The value that comes with an event, if it has one to be rebuilt.
  static Payload* ValueIn(Event& event);
  void Release();
  // A value is empty where there is none, and where it could not be rebuilt.
  using Value = std::optional<Napi::Value>;
  void Handle(CallEvent& event, const Value& arguments);
  void Handle(InvokedEvent& event, const Value& value);
  void Handle(LogEvent& event, HostedRun& run);
  void Handle(OutcomeEvent& event, const Value& value);
  void HandOverPoolEvent();
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
  Napi::FunctionReference append_;
  std::unique_ptr<Napi::AsyncContext> async_context_;
  std::unordered_map<RunId, HostedRun> runs_;
  std::deque<RunId> ready_;              // those that have events
  std::deque<Event> pool_events_;        // after everything that came from runs
  std::shared_ptr<EventSource> source_;  // shared with the pool; null when guests run on threads
  Poll* poll_ = nullptr;                 // where there is a source
  size_t expected_ = 0;
  bool has_replied_ = false;
  std::atomic<bool> has_events_{false};  // as far as can be told without the lock
  Guarded<State> state_;
};

}  // namespace isobox
