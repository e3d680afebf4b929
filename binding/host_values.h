#pragma once
// Values of the host's realm to bytes and back, under the rules of a run. Loop thread only.

#include <napi.h>

#include <memory>
#include <optional>
#include <vector>

#include "native/core/run_types.h"
#include "native/values/value_codec.h"
#include "v8.h"

namespace isobox {

// Of a port that only sends.
inline constexpr RunId kNoRun = 0;

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

// Values that a guest sends, as they are rebuilt here.
class HostReader {
 public:
  // `append` is lib/'s function that adds the children of one array or object to another.
  HostReader(Payload&& payload, ValueProfile profile, Napi::Function append);

  // Goes on until the value is there, cannot be rebuilt, or the time has come. True when there is
  // nothing left to do.
  bool ReadUntil(uint64_t deadline, FunctionPort& port);
  // Then: empty when the bytes cannot be rebuilt here.
  std::optional<Napi::Value> Result(Napi::Env env) const;

 private:
  std::unique_ptr<ValueReader> reader_;
  ValueReader::Progress progress_ = ValueReader::Progress::kMore;
};

// Whether a value takes longer to rebuild than the loop may wait for it.
bool TakesLong(const Payload& payload, ValueProfile profile);

// At once. Empty when the bytes cannot be rebuilt here.
std::optional<Napi::Value> Decode(Napi::Env env, Payload&& payload, ValueProfile profile,
                                  FunctionPort& port);

// The arguments of a log entry, in which there are no functions.
Napi::Array DecodeArguments(Napi::Env env, std::vector<Payload> arguments, ValueProfile profile);

}  // namespace isobox
