#pragma once
// The pool as lib/ sees it. Loop thread only.

#include <napi.h>

#include <chrono>
#include <memory>

#include "binding/loop_channel.h"
#include "native/core/any_pool.h"

namespace isobox {

class PoolObject final : public Napi::ObjectWrap<PoolObject> {
 public:
  static Napi::Function Define(Napi::Env env);

  // new NativePool(options, handlers); options.process says that guests have processes of their own
  explicit PoolObject(const Napi::CallbackInfo& info);
  ~PoolObject() override;

  // Ends everything now, without a word to JS, and waits for the threads, though never for long.
  void CloseNow(std::chrono::milliseconds patience);

 private:
  // start(request, slots)
  Napi::Value Start(const Napi::CallbackInfo& info);
  // reply(run, call, value, slots): null, or why the value cannot cross
  Napi::Value Reply(const Napi::CallbackInfo& info);
  // replyError(run, call, {name, message, code})
  void ReplyError(const Napi::CallbackInfo& info);
  // invoke(run, slot, invocation, arguments, slots): null, or why the arguments cannot cross
  Napi::Value Invoke(const Napi::CallbackInfo& info);
  // stop(run, reason)
  void Stop(const Napi::CallbackInfo& info);
  // prewarm(request, count)
  void Prewarm(const Napi::CallbackInfo& info);
  Napi::Value Stats(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);

  std::shared_ptr<LoopChannel> channel_;  // shared with the pool, whose threads post to it
  std::shared_ptr<AnyPool> pool_;
};

}  // namespace isobox
