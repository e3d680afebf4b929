#include "binding/output_reducer.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "binding/from_js.h"
#include "native/output/json_pointer.h"
#include "native/output/output_pipeline.h"

namespace isobox {
namespace {

std::string_view ViewOf(const Napi::Uint8Array& bytes) {
  return {reinterpret_cast<const char*>(bytes.Data()), bytes.ByteLength()};
}

Napi::Value ToText(Napi::Env env, const std::optional<std::string>& reduced) {
  return reduced ? Napi::Value(Napi::String::New(env, *reduced)) : env.Null();
}

using Action = std::function<std::optional<std::string>(std::string_view output)>;

// An action on bytes of the host, on a thread. Deletes itself when it is done.
class Errand final : public Napi::AsyncWorker {
 public:
  static Napi::Promise Start(Napi::Env env, Napi::Uint8Array bytes, Action action) {
    auto* const errand = new Errand(env, bytes, std::move(action));
    const Napi::Promise promise = errand->deferred_.Promise();
    errand->Queue();
    return promise;
  }

 protected:
  void Execute() override { answer_ = action_(output_); }
  void OnOK() override { deferred_.Resolve(ToText(Env(), answer_)); }
  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  Errand(Napi::Env env, Napi::Uint8Array bytes, Action action)
      : Napi::AsyncWorker(env, "isobox:output"),
        bytes_(Napi::Persistent(bytes)),
        output_(ViewOf(bytes)),
        action_(std::move(action)),
        deferred_(Napi::Promise::Deferred::New(env)) {}

  Napi::Reference<Napi::Uint8Array> bytes_;
  std::string_view output_;
  Action action_;
  Napi::Promise::Deferred deferred_;
  std::optional<std::string> answer_;
};

}  // namespace

Napi::Value ReduceOutputNow(const Napi::CallbackInfo& info) {
  const std::string_view output = ViewOf(info[0].As<Napi::Uint8Array>());
  return ToText(info.Env(),
                ReduceOutput(output, from_js::ToOutputSettings(info[1].As<Napi::Object>())));
}

Napi::Value ReduceOutputLater(const Napi::CallbackInfo& info) {
  return Errand::Start(info.Env(), info[0].As<Napi::Uint8Array>(),
                       [settings = from_js::ToOutputSettings(info[1].As<Napi::Object>())](
                           std::string_view output) { return ReduceOutput(output, settings); });
}

Napi::Value SelectJsonLater(const Napi::CallbackInfo& info) {
  return Errand::Start(info.Env(), info[0].As<Napi::Uint8Array>(),
                       [pointer = info[1].As<Napi::String>().Utf8Value()](std::string_view output) {
                         return SelectJson(output, pointer);
                       });
}

}  // namespace isobox
