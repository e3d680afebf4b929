#pragma once
// Values of the host's realm to bytes and back, under the rules of a run. Loop thread only.

#include <napi.h>

#include <optional>

#include "native/core/run_types.h"
#include "native/guest/value_codec.h"
#include "v8.h"

namespace isobox {

// Functions that cross between this host and one run: out, into the run's table of closures; in, as
// proxies that lib/ makes.
class HostFunctionPort final : public FunctionPort {
 public:
  // `slots` is the run's table of closures, { list: [], index: Map }; may be empty where nothing is
  // sent.
  HostFunctionPort(Napi::Env env, RunId run, Napi::Object slots, Napi::Function make_proxy)
      : env_(env), run_(run), slots_(slots), make_proxy_(make_proxy) {}

  bool Export(v8::Local<v8::Object> callable, Kind kind, FunctionSlot& slot) override;
  bool ExportsPromises() const override { return true; }
  v8::MaybeLocal<v8::Value> Import(FunctionSlot slot, Kind kind) override;

 private:
  Napi::Env env_;
  RunId run_;
  Napi::Object slots_;
  Napi::Function make_proxy_;
};

// How what comes from one run and goes to it is to be read.
struct RunRules {
  ValueProfile profile = ValueProfile::kJson;
  CodecLimits limits;
  ConsoleMode console = ConsoleMode::kLines;
};
RunRules RulesOf(const RunRequest& request);

// Encodes under the run's rules. On failure the result's message says why; an exception may be
// pending where a host getter threw.
EncodeResult Encode(Napi::Value value, const RunRules& rules, HostFunctionPort& port, Payload& out);
// Empty when the bytes cannot be rebuilt here.
std::optional<Napi::Value> Decode(Napi::Env env, Payload&& payload, const RunRules& rules,
                                  HostFunctionPort& port);

}  // namespace isobox
