#pragma once
// A guest in a fresh V8 isolate: starts the run, delivers messages, and finds out when it has
// ended.

#include <memory>
#include <optional>
#include <vector>

#include "native/core/guest.h"
#include "native/core/run_ledger.h"
#include "native/guest/call_bridge.h"
#include "native/guest/guest_catch.h"
#include "native/guest/guest_console.h"
#include "native/guest/guest_isolate.h"
#include "native/guest/guest_library.h"
#include "native/guest/guest_modules.h"

namespace isobox {

class IsolateGuest final : public Guest {
 public:
  // Makes the isolate. Any thread.
  explicit IsolateGuest(Readiness readiness);
  IsolateGuest(const IsolateGuest&) = delete;
  IsolateGuest& operator=(const IsolateGuest&) = delete;
  ~IsolateGuest() override;

  // Gives a guest random numbers of its own that was made before its process was forked: others
  // have the same one. Before its run, one guest at a time in a process.
  void Reseed(uint64_t random);

  void Begin(const RunRequest& request, RunLedger& ledger, GuestOwner& owner) override;
  std::optional<GuestResult> Turn(std::vector<GuestMessage> messages) override;
  void Interrupt() override { isolate_.isolate()->TerminateExecution(); }
  void Sample() override { isolate_.SampleMemory(); }

 private:
  // What is waited for: the program, then what the selected export gave.
  enum class Stage : uint8_t { kNotStarted, kEvaluating, kResolving };

  // The parts of one run; made when the run begins.
  struct RunParts {
    RunParts(const RunRequest& request, RunLedger& ledger, GuestOwner& owner, GuestIsolate& isolate)
        : request(request),
          ledger(ledger),
          owner(owner),
          bridge(request, ledger, owner, isolate),
          console(request.realm.console, ledger, bridge),
          library(request.realm.library, bridge),
          modules(request, bridge, library) {}
    const RunRequest& request;
    RunLedger& ledger;
    GuestOwner& owner;
    CallBridge bridge;
    GuestConsole console;
    GuestLibrary library;
    GuestModules modules;
    Stage stage = Stage::kNotStarted;
    v8::Global<v8::Promise> awaited;
  };

  // Each returns a result when the run has ended with it.
  std::optional<GuestResult> Start(const GuestScope& scope);
  std::optional<GuestResult> StartScript(const GuestScope& scope);
  std::optional<GuestResult> StartModule(const GuestScope& scope);
  std::optional<GuestResult> Advance(const GuestScope& scope);
  std::optional<GuestResult> CallSelectedExport(const GuestScope& scope);
  GuestResult Finish(const GuestScope& scope, v8::Local<v8::Value> value);
  GuestResult Fail(const GuestScope& scope, v8::Local<v8::Value> thrown,
                   v8::Local<v8::Message> message);
  // A throw while something is being started; empty when it was a termination.
  std::optional<GuestResult> Caught(const GuestScope& scope, const GuestCatch& caught,
                                    StopCause cause);
  // Waits for a value the way `await` does.
  bool Await(const GuestScope& scope, v8::Local<v8::Value> value);

  GuestIsolate isolate_;
  std::unique_ptr<RunParts> run_;  // after the isolate: its handles go first
};

}  // namespace isobox
