#pragma once
// JS objects to plain structs and back. Loop thread only. lib/ has validated what comes in.

#include <napi.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/core/pool.h"
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

namespace convert {

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

PoolOptions ToPoolOptions(Napi::Object object);

// The arguments of NativePool's `start`, in types/internal/native.d.ts. Empty with a pending
// exception when a value in the request cannot cross.
std::optional<RunRequest> ToRunRequest(const Napi::CallbackInfo& info, HostFunctionPort& port);

HostError ToHostError(Napi::Object object);

Napi::Object FromErrorReport(Napi::Env env, const ErrorReport& report);
Napi::Object FromLogEntry(Napi::Env env, LogEntry& entry, const RunRules& rules,
                          HostFunctionPort& port);
// The arguments of the handler `onOutcome`, after the run.
std::vector<napi_value> FromOutcome(Napi::Env env, RunOutcome& outcome, const RunRules& rules,
                                    HostFunctionPort& port);
// By number, as outcomes name their causes.
Napi::Array StopCauseNames(Napi::Env env);
Napi::Object FromStats(Napi::Env env, const PoolStats& stats);

}  // namespace convert
}  // namespace isobox
