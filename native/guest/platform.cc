#include "native/guest/platform.h"

#include <dlfcn.h>
#include <node.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace isobox::platform {
namespace {

std::atomic<node::MultiIsolatePlatform*> node_platform{nullptr};
std::atomic<size_t> live_isolates{0};
std::atomic<void (*)()> before_abort{nullptr};

// Guests have no event loop for V8's foreground tasks: those only advance work (incremental
// marking, memory reduction) that allocation also advances, so they are dropped and cost a parked
// guest nothing.
class DroppingTaskRunner final : public v8::TaskRunner {
 public:
  bool IdleTasksEnabled() override { return false; }
  bool NonNestableTasksEnabled() const override { return true; }
  bool NonNestableDelayedTasksEnabled() const override { return true; }

#if V8_MAJOR_VERSION < 12
  void PostTask(std::unique_ptr<v8::Task> /*task*/) override {}
  void PostNonNestableTask(std::unique_ptr<v8::Task> /*task*/) override {}
  void PostDelayedTask(std::unique_ptr<v8::Task> /*task*/, double /*seconds*/) override {}
  void PostNonNestableDelayedTask(std::unique_ptr<v8::Task> /*task*/, double /*seconds*/) override {
  }
  void PostIdleTask(std::unique_ptr<v8::IdleTask> /*task*/) override {}
#else
 protected:
  void PostTaskImpl(std::unique_ptr<v8::Task> /*task*/,
                    const v8::SourceLocation& /*location*/) override {}
  void PostNonNestableTaskImpl(std::unique_ptr<v8::Task> /*task*/,
                               const v8::SourceLocation& /*location*/) override {}
  void PostDelayedTaskImpl(std::unique_ptr<v8::Task> /*task*/, double /*seconds*/,
                           const v8::SourceLocation& /*location*/) override {}
  void PostNonNestableDelayedTaskImpl(std::unique_ptr<v8::Task> /*task*/, double /*seconds*/,
                                      const v8::SourceLocation& /*location*/) override {}
  void PostIdleTaskImpl(std::unique_ptr<v8::IdleTask> /*task*/,
                        const v8::SourceLocation& /*location*/) override {}
#endif
};

class GuestDelegate final : public node::IsolatePlatformDelegate {
 public:
  std::shared_ptr<v8::TaskRunner> GetForegroundTaskRunner() override { return runner_; }
  bool IdleTasksEnabled() override { return false; }

 private:
  std::shared_ptr<v8::TaskRunner> runner_ = std::make_shared<DroppingTaskRunner>();
};

// Never destroyed: isolates on lost threads may still post to it at process exit.
GuestDelegate* Delegate() {
  static auto* const delegate = new GuestDelegate();
  return delegate;
}

// A function of this process that no header declares; null where it is missing.
template <typename Function>
Function Find(const char* mangled_name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, mangled_name));
}

}  // namespace

void Attach(v8::Isolate* host_isolate) {
  static std::once_flag once;
  std::call_once(once, [host_isolate] {
    node::Environment* env = node::GetCurrentEnvironment(host_isolate->GetCurrentContext());
    node_platform = node::GetMultiIsolatePlatform(env);
#if V8_MAJOR_VERSION >= 13
    // Turboshaft's loop unrolling drops the stack check of small loops, and with it the only place
    // where a termination request is seen. Older versions do not know the option.
    v8::V8::SetFlagsFromString("--no-turboshaft-loop-unrolling");
#endif
  });
}

void BeforeAbort(void (*function)()) {
  // What V8 does over a failed check or a size that it holds to be impossible: at last it has the
  // stack printed, and from version 13 on it first calls a function, though not in every case.
  // Headers declare neither, so both may be missing.
  using SetPrintStackTrace = void (*)(void (*print)());
  using SetFatalFunction = void (*)(void (*call)(const char* file, int line, const char* message));
  const auto set_print = Find<SetPrintStackTrace>("_ZN2v84base18SetPrintStackTraceEPFvvE");
  const auto set_fatal = Find<SetFatalFunction>("_ZN2v84base16SetFatalFunctionEPFvPKciS2_E");
  before_abort = function;
  if (set_print != nullptr) {
    set_print([] {
      before_abort.load()();
      node_platform.load()->GetStackTracePrinter()();
    });
  }
  if (set_fatal != nullptr) set_fatal([](const char*, int, const char*) { before_abort.load()(); });
}

v8::Isolate* NewIsolate(const v8::Isolate::CreateParams& params) {
  live_isolates += 1;
  v8::Isolate* isolate = v8::Isolate::Allocate();
  node_platform.load()->RegisterIsolate(isolate, Delegate());
  v8::Isolate::Initialize(isolate, params);
  return isolate;
}

void DisposeIsolate(v8::Isolate* isolate) {
#if NODE_MAJOR_VERSION >= 24
  node_platform.load()->DisposeIsolate(isolate);
#else
  node_platform.load()->UnregisterIsolate(isolate);
  isolate->Dispose();
#endif
  live_isolates -= 1;
}

RandomSeed::RandomSeed(int32_t seed) {
  v8::V8::SetFlagsFromString(("--random-seed=" + std::to_string(seed)).c_str());
}
RandomSeed::~RandomSeed() { v8::V8::SetFlagsFromString("--random-seed=0"); }

size_t LiveIsolates() { return live_isolates; }

}  // namespace isobox::platform
