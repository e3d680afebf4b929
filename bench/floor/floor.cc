// The floor: threads that create an isolate and a context, run 42+1 and dispose of both, as often
// as they can. No queue, no limits, no loop, no values: what no pool of fresh isolates can
// undercut.

#include <node.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "native/guest/platform.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int32_t kAnswer = 43;
constexpr size_t kMaxYoungBytes = 12U << 20U;  // as isobox has it

// Any thread. False when the answer is wrong.
bool RunOnce(v8::ArrayBuffer::Allocator* allocator) {
  v8::Isolate::CreateParams params;
  params.array_buffer_allocator = allocator;
  params.constraints.set_max_young_generation_size_in_bytes(kMaxYoungBytes);
  v8::Isolate* const isolate = isobox::platform::NewIsolate(params);
  bool is_right = false;
  {
    const v8::Locker locker(isolate);
    const v8::Isolate::Scope isolate_scope(isolate);
    const v8::HandleScope handle_scope(isolate);
    const v8::Local<v8::Context> context = v8::Context::New(isolate);
    const v8::Context::Scope context_scope(context);
    const v8::Local<v8::String> source = v8::String::NewFromUtf8Literal(isolate, "42+1");
    v8::Local<v8::Script> script;
    v8::Local<v8::Value> result;
    is_right = v8::Script::Compile(context, source).ToLocal(&script) &&
               script->Run(context).ToLocal(&result) && result->IsInt32() &&
               result.As<v8::Int32>()->Value() == kAnswer;
  }
  isobox::platform::DisposeIsolate(isolate);
  return is_right;
}

// runIsolates(threads, milliseconds): isolates per second. Blocks the caller.
void RunIsolates(const v8::FunctionCallbackInfo<v8::Value>& info) {
  const auto threads = info[0].As<v8::Uint32>()->Value();
  const std::chrono::milliseconds duration(info[1].As<v8::Uint32>()->Value());
  const std::unique_ptr<v8::ArrayBuffer::Allocator> allocator(
      v8::ArrayBuffer::Allocator::NewDefaultAllocator());
  std::atomic<uint64_t> done{0};
  std::atomic<bool> is_right{true};
  const auto start = Clock::now();
  std::vector<std::thread> workers;
  for (uint32_t i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      while (Clock::now() - start < duration) {
        if (!RunOnce(allocator.get())) is_right = false;
        done += 1;
      }
    });
  }
  for (std::thread& worker : workers)
    worker.join();
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  const double rate = static_cast<double>(done) / elapsed.count();
  info.GetReturnValue().Set(is_right ? rate : 0.0);
}

}  // namespace

NODE_MODULE_INIT() {
  isobox::platform::Attach(v8::Isolate::GetCurrent());
  NODE_SET_METHOD(exports, "runIsolates", RunIsolates);
  static_cast<void>(module);
}
