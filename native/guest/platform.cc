#include "native/guest/platform.h"

#include <node.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

// Exported by every Node, but declared in none of the headers that come with it. What V8 does
// before it ends the process, over a failed check or a size that it holds to be impossible: at last
// it has the stack printed, and from version 13 on it first calls a function, though not in every
// case.
namespace v8::base {
void SetPrintStackTrace(void (*function)());
#if V8_MAJOR_VERSION >= 13
void SetFatalFunction(void (*function)(const char* file, int line, const char* message));
#endif
}  // namespace v8::base

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

// Never destroyed: isolates on threads that were written off may still post to it at process exit.
GuestDelegate* Delegate() {
  static auto* const delegate = new GuestDelegate();
  return delegate;
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
  before_abort = function;
  v8::base::SetPrintStackTrace([] {
    before_abort.load()();
    node_platform.load()->GetStackTracePrinter()();
  });
#if V8_MAJOR_VERSION >= 13
  v8::base::SetFatalFunction([](const char*, int, const char*) { before_abort.load()(); });
#endif
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

size_t LiveIsolates() { return live_isolates; }

v8::Local<v8::Value> PrototypeOf(v8::Local<v8::Object> object) {
#if V8_MAJOR_VERSION >= 13
  return object->GetPrototypeV2();
#else
  return object->GetPrototype();
#endif
}

void ReadOneByte(v8::Isolate* isolate, v8::Local<v8::String> string, std::vector<uint8_t>& out,
                 size_t limit) {
  out.resize(std::min(static_cast<size_t>(string->Length()), limit));
  CopyUnits(isolate, string, 0, out.size(), reinterpret_cast<char*>(out.data()));
}

void ReadTwoByte(v8::Isolate* isolate, v8::Local<v8::String> string, std::vector<uint16_t>& out,
                 size_t limit) {
  out.resize(std::min(static_cast<size_t>(string->Length()), limit));
  CopyUnits(isolate, string, 0, out.size(), out.data());
}

v8::ScriptOrigin MakeOrigin([[maybe_unused]] v8::Isolate* isolate, v8::Local<v8::String> name,
                            int column_offset, OriginKind kind, v8::Local<v8::Data> options) {
  const bool is_module = kind == OriginKind::kModule;
#if V8_MAJOR_VERSION >= 12
  return {name,  0,     column_offset, false,  -1, v8::Local<v8::Value>(),
          false, false, is_module,     options};
#else
  return {isolate, name,  0,         column_offset, false, -1, v8::Local<v8::Value>(),
          false,   false, is_module, options};
#endif
}

v8::Local<v8::Module> NewSyntheticModule(v8::Isolate* isolate, v8::Local<v8::String> name,
                                         const std::vector<v8::Local<v8::String>>& exports,
                                         v8::Module::SyntheticModuleEvaluationSteps steps) {
#if V8_MAJOR_VERSION >= 12
  return v8::Module::CreateSyntheticModule(
      isolate, name, v8::MemorySpan<const v8::Local<v8::String>>(exports.data(), exports.size()),
      steps);
#else
  return v8::Module::CreateSyntheticModule(isolate, name, exports, steps);
#endif
}

void CopyUnits(v8::Isolate* isolate, v8::Local<v8::String> string, size_t start, size_t length,
               char* out) {
  auto* const bytes = reinterpret_cast<uint8_t*>(out);
#if V8_MAJOR_VERSION >= 13
  string->WriteOneByteV2(isolate, static_cast<uint32_t>(start), static_cast<uint32_t>(length),
                         bytes);
#else
  string->WriteOneByte(isolate, bytes, static_cast<int>(start), static_cast<int>(length),
                       v8::String::NO_NULL_TERMINATION);
#endif
}

void CopyUnits(v8::Isolate* isolate, v8::Local<v8::String> string, size_t start, size_t length,
               uint16_t* out) {
#if V8_MAJOR_VERSION >= 13
  string->WriteV2(isolate, static_cast<uint32_t>(start), static_cast<uint32_t>(length), out);
#else
  string->Write(isolate, out, static_cast<int>(start), static_cast<int>(length),
                v8::String::NO_NULL_TERMINATION);
#endif
}

v8::Local<v8::Data> ElementOf([[maybe_unused]] v8::Local<v8::Context> context,
                              v8::Local<v8::FixedArray> array, int index) {
#if V8_MAJOR_VERSION >= 14
  return array->Get(index);
#else
  return array->Get(context, index);
#endif
}

v8::Local<v8::FixedArray> AttributesOf(v8::Local<v8::ModuleRequest> request) {
#if V8_MAJOR_VERSION >= 12
  return request->GetImportAttributes();
#else
  return request->GetImportAssertions();
#endif
}

bool IsFloat16Array([[maybe_unused]] v8::Local<v8::ArrayBufferView> view) {
#if V8_MAJOR_VERSION >= 13
  return view->IsFloat16Array();
#else
  return false;
#endif
}

v8::MaybeLocal<v8::Object> NewFloat16Array([[maybe_unused]] v8::Local<v8::ArrayBuffer> buffer,
                                           [[maybe_unused]] size_t length) {
#if V8_MAJOR_VERSION >= 13
  return v8::Float16Array::New(buffer, 0, length);
#else
  return {};
#endif
}

}  // namespace isobox::platform
