#pragma once
// The lines of a runner's input as lib/ sees them. Loop thread only.

#include <napi.h>

#include "native/protocol/line_splitter.h"
#include "native/protocol/message_gate.h"

namespace isobox {

class LineReader final : public Napi::ObjectWrap<LineReader> {
 public:
  static Napi::Function Define(Napi::Env env);

  // new LineReader(maxLineBytes)
  explicit LineReader(const Napi::CallbackInfo& info);

 private:
  // push(bytes): the lines that these bytes end
  Napi::Value Push(const Napi::CallbackInfo& info);
  // end(): the last line, if it had no line feed
  Napi::Value End(const Napi::CallbackInfo& info);

  // Each as {line, text} or {line, refusal, detail}; blank ones are left out.
  Napi::Value TakeLines(Napi::Env env);
  Napi::Value Describe(Napi::Env env, const Line& line);

  LineSplitter splitter_;
  MessageGate gate_;
};

}  // namespace isobox
