#include "native/guest/isolate_guest.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "native/guest/code_reuse.h"
#include "native/guest/error_marks.h"
#include "native/guest/error_report.h"
#include "native/guest/guest_realm.h"
#include "native/guest/platform.h"
#include "native/values/text.h"
#include "native/values/v8_api.h"

namespace isobox {
namespace {

// The caller's text becomes the body of an async function; the negative column offset and the
// missing line break keep its positions as they are.
constexpr std::string_view kFunctionHead = "(async()=>{";
constexpr std::string_view kFunctionTail = "\n})";

// What closes the expression's function early must go on with a comma or parenthesis; what closes a
// declaration's function early can do neither. Text that fits both is a body and nothing more.
constexpr std::string_view kDeclarationHead = "async function f(){";
constexpr std::string_view kDeclarationTail = "\n}";

bool IsBody(const GuestScope& scope, const std::string& source) {
  if (source.find('}') == std::string::npos) return true;
  std::string declaration;
  declaration.append(kDeclarationHead).append(source).append(kDeclarationTail);
  v8::Local<v8::String> text;
  if (!ToV8(scope.isolate(), declaration).ToLocal(&text)) return false;
  v8::ScriptCompiler::Source candidate(text);
  v8::Local<v8::UnboundScript> script;
  const GuestCatch syntax_error(scope);
  return v8::ScriptCompiler::CompileUnboundScript(scope.isolate(), &candidate).ToLocal(&script);
}

// A body's closing brace is ours: an error there is at the end of the caller's text.
void ClampToSource(const std::string& source, ErrorReport& report) {
  const auto last_line = static_cast<int>(std::count(source.begin(), source.end(), '\n')) + 1;
  if (report.line <= last_line) return;
  report.line = last_line;
  const size_t line_start = source.rfind('\n') + 1;
  const uint64_t length = Utf16Length(std::string_view(source).substr(line_start));
  report.column = static_cast<int>(length) + 1;
}

// Text that closes the function and opens something else.
GuestResult NotABody() {
  GuestResult result{.cause = StopCause::kLinkError, .value = {}, .error = {}};
  result.error.name = "SyntaxError";
  result.error.message = "The source is not the body of a function";
  return result;
}

}  // namespace

IsolateGuest::IsolateGuest(Readiness readiness) {
  const GuestScope scope(isolate_.isolate(), isolate_.context(), nullptr);
  realm::Prepare(scope);
  if (readiness == Readiness::kAhead) realm::Rehearse(scope);
  isolate_.CheckMemory();
}

IsolateGuest::~IsolateGuest() {
  if (!run_) return;
  const v8::Locker locker(isolate_.isolate());
  const v8::Isolate::Scope scope(isolate_.isolate());
  run_.reset();
}

void IsolateGuest::Reseed(uint64_t random) {
  const GuestScope scope(isolate_.isolate(), isolate_.context(), nullptr);
  const v8::Local<v8::Context> context = scope.context();
  const auto property = [&](v8::Local<v8::Value> object, const char* name) {
    const auto key = v8::String::NewFromUtf8(scope.isolate(), name).ToLocalChecked();
    return object.As<v8::Object>()->Get(context, key).ToLocalChecked();
  };
  const auto draw = property(property(context->Global(), "Math"), "random").As<v8::Function>();
  // A seed has 32 bits, of which two guests of many have the same; how many numbers are skipped
  // adds eight.
  const auto seed = static_cast<int32_t>(random);
  const platform::RandomSeed seeded(seed != 0 ? seed : 1);
  for (auto left = static_cast<uint8_t>(random >> 32U) + 1; left > 0; --left)
    draw->Call(context, context->Global(), 0, nullptr).ToLocalChecked();
}

void IsolateGuest::Begin(const RunRequest& request, RunLedger& ledger, GuestOwner& owner) {
  run_ = std::make_unique<RunParts>(request, ledger, owner, isolate_);
}

std::optional<GuestResult> IsolateGuest::Turn(std::vector<GuestMessage> messages) {
  const GuestScope scope(isolate_.isolate(), isolate_.context(), &run_->ledger.latch());
  // Only now is a stop sure to interrupt the engine, so one that came earlier is looked for here.
  if (scope.IsStopped()) return std::nullopt;
  isolate_.set_parts({&scope, &run_->bridge, &run_->console, &run_->modules, &run_->library});
  std::optional<GuestResult> result;
  if (run_->stage == Stage::kNotStarted) {
    isolate_.Limit(scope, run_->request.limits.memory_bytes, run_->ledger, run_->owner);
    result = Start(scope);
  }
  for (GuestMessage& message : messages) {
    if (scope.IsStopped()) break;
    if (auto* const reply = std::get_if<ReplyMessage>(&message)) {
      run_->bridge.Deliver(scope, std::move(*reply));
    } else {
      run_->bridge.Invoke(scope, std::get<InvokeMessage>(std::move(message)));
    }
  }
  if (!result && !scope.IsStopped()) result = Advance(scope);
  // Looking costs as much as a short turn.
  if (result || isolate_.IsCheckDue()) isolate_.CheckMemory();
  run_->ledger.NotePeakMemory(isolate_.meter().peak());
  isolate_.set_parts({});
  return result;
}

std::optional<GuestResult> IsolateGuest::Start(const GuestScope& scope) {
  run_->stage = Stage::kEvaluating;
  const GuestCatch caught(scope);
  if (!run_->library.DefineGlobals(scope) ||
      !realm::Apply(scope, run_->request.realm, run_->bridge)) {
    return Caught(scope, caught, StopCause::kLinkError);
  }
  if (run_->request.kind == SourceKind::kModule) return StartModule(scope);
  return StartScript(scope);
}

std::optional<GuestResult> IsolateGuest::StartScript(const GuestScope& scope) {
  v8::Isolate* const isolate = scope.isolate();
  const RunRequest& request = run_->request;
  const bool is_function = request.kind == SourceKind::kFunction;
  v8::Local<v8::String> text;
  v8::Local<v8::String> name;
  v8::Local<v8::UnboundScript> script;
  v8::Local<v8::Value> value;
  const GuestCatch caught(scope);
  std::string wrapped;
  if (is_function) {
    wrapped.reserve(kFunctionHead.size() + request.source.size() + kFunctionTail.size());
    wrapped.append(kFunctionHead).append(request.source).append(kFunctionTail);
  }
  const int column_offset = is_function ? -static_cast<int>(kFunctionHead.size()) : 0;
  if (!ToV8(isolate, request.filename).ToLocal(&name) ||
      !ToV8(isolate, is_function ? wrapped : request.source).ToLocal(&text)) {
    return Caught(scope, caught, StopCause::kLinkError);
  }
  const v8::ScriptOrigin origin =
      v8_api::MakeOrigin(isolate, name, column_offset, v8_api::OriginKind::kScript);
  CodeReuse code({request.kind, request.filename, request.source});
  if (!code.CompileScript(isolate, text, origin).ToLocal(&script)) {
    auto failure = Caught(scope, caught, StopCause::kLinkError);
    if (failure && is_function) ClampToSource(request.source, failure->error);
    return failure;
  }
  // Only code of bodies is kept.
  if (is_function && !code.is_reused() && !IsBody(scope, request.source)) return NotABody();
  code.Keep(script);
  if (!script->BindToCurrentContext()->Run(scope.context()).ToLocal(&value)) {
    return Caught(scope, caught, StopCause::kGuestError);
  }
  if (is_function) {
    const auto body = value.As<v8::Function>();
    if (!body->Call(scope.context(), v8::Undefined(isolate), 0, nullptr).ToLocal(&value)) {
      return Caught(scope, caught, StopCause::kGuestError);
    }
  }
  if (!Await(scope, value)) return Caught(scope, caught, StopCause::kGuestError);
  run_->stage = Stage::kResolving;
  return std::nullopt;
}

std::optional<GuestResult> IsolateGuest::StartModule(const GuestScope& scope) {
  GuestModules::InstallCallbacks(scope.isolate());
  GuestResult failure{.cause = StopCause::kLinkError, .value = {}, .error = {}};
  if (!run_->modules.LinkEntry(scope, failure.error)) return failure;
  const GuestCatch caught(scope);
  v8::Local<v8::Promise> promise;
  if (!run_->modules.EvaluateEntry(scope).ToLocal(&promise)) {
    return Caught(scope, caught, StopCause::kGuestError);
  }
  run_->awaited.Reset(scope.isolate(), promise);
  return std::nullopt;
}

bool IsolateGuest::Await(const GuestScope& scope, v8::Local<v8::Value> value) {
  v8::Local<v8::Promise::Resolver> resolver;
  if (value->IsPromise()) {
    run_->awaited.Reset(scope.isolate(), value.As<v8::Promise>());
    return true;
  }
  if (!v8::Promise::Resolver::New(scope.context()).ToLocal(&resolver) ||
      !resolver->Resolve(scope.context(), value).FromMaybe(false)) {
    return false;
  }
  run_->awaited.Reset(scope.isolate(), resolver->GetPromise());
  return true;
}

std::optional<GuestResult> IsolateGuest::Advance(const GuestScope& scope) {
  while (true) {
    scope.isolate()->PerformMicrotaskCheckpoint();
    if (scope.IsStopped()) return std::nullopt;
    run_->bridge.PostSettledInvocations(scope);
    if (run_->awaited.IsEmpty()) return std::nullopt;
    const v8::Local<v8::Promise> awaited = run_->awaited.Get(scope.isolate());
    switch (awaited->State()) {
      case v8::Promise::kPending:
        return std::nullopt;
      case v8::Promise::kRejected:
        return Fail(scope, awaited->Result(), {});
      case v8::Promise::kFulfilled:
        break;
    }
    if (run_->stage == Stage::kResolving) return Finish(scope, awaited->Result());
    run_->stage = Stage::kResolving;
    if (auto ended = CallSelectedExport(scope)) return ended;
  }
}

std::optional<GuestResult> IsolateGuest::CallSelectedExport(const GuestScope& scope) {
  v8::Isolate* const isolate = scope.isolate();
  const auto context = scope.context();
  const ModulePlan& plan = run_->request.module;
  const GuestCatch caught(scope);
  v8::Local<v8::Value> selected;
  if (!run_->modules.SelectedExport(scope).ToLocal(&selected)) {
    if (caught.HasThrown() || caught.IsStopped()) {
      return Caught(scope, caught, StopCause::kGuestError);
    }
    GuestResult missing{.cause = StopCause::kLinkError, .value = {}, .error = {}};
    missing.error.name = "MissingExportError";
    missing.error.message =
        "The entry module does not provide an export named '" + plan.export_name + "'";
    missing.error.filename = run_->request.filename;
    return missing;
  }
  if (selected->IsFunction()) {
    v8::Local<v8::Value> decoded;
    std::vector<v8::Local<v8::Value>> arguments(plan.argument_count);
    if (plan.argument_count > 0) {
      if (!DecodeClone(context, Payload(plan.arguments), run_->bridge, run_->bridge)
               .ToLocal(&decoded) ||
          !decoded->IsArray()) {
        return Caught(scope, caught, StopCause::kGuestError);
      }
      for (uint32_t i = 0; i < plan.argument_count; ++i) {
        if (!decoded.As<v8::Array>()->Get(context, i).ToLocal(&arguments[i])) {
          return Caught(scope, caught, StopCause::kGuestError);
        }
      }
    }
    if (!selected.As<v8::Function>()
             ->Call(context, v8::Undefined(isolate), static_cast<int>(arguments.size()),
                    arguments.data())
             .ToLocal(&selected)) {
      return Caught(scope, caught, StopCause::kGuestError);
    }
  } else if (plan.argument_count > 0) {
    GuestResult refused{.cause = StopCause::kGuestError, .value = {}, .error = {}};
    refused.error.name = "TypeError";
    refused.error.message =
        "The export '" + plan.export_name + "' is not a function and cannot receive arguments";
    refused.error.filename = run_->request.filename;
    return refused;
  }
  if (!Await(scope, selected)) return Caught(scope, caught, StopCause::kGuestError);
  return std::nullopt;
}

GuestResult IsolateGuest::Finish(const GuestScope& scope, v8::Local<v8::Value> value) {
  GuestResult result;
  const GuestCatch caught(scope);
  const EncodeResult encoded =
      run_->bridge.Encode(value, run_->request.limits.result_bytes, result.value);
  switch (encoded.status) {
    case EncodeStatus::kOk:
      result.cause = StopCause::kFinished;
      break;
    case EncodeStatus::kTooLarge:
      result.cause = StopCause::kOutput;
      break;
    case EncodeStatus::kNotTransferable:
    case EncodeStatus::kTooDeep:
      result.cause = StopCause::kSerialization;
      break;
    case EncodeStatus::kThrew:
      if (!caught.HasThrown()) return {};
      return Fail(scope, caught.Exception(), caught.Message());
  }
  if (!encoded.ok()) {
    result.value = {};
    result.error.name = "SerializationError";
    result.error.message = "The result cannot be returned: " + encoded.message;
  }
  return result;
}

GuestResult IsolateGuest::Fail(const GuestScope& scope, v8::Local<v8::Value> thrown,
                               v8::Local<v8::Message> message) {
  GuestResult result;
  result.cause = StopCause::kGuestError;
  if (const auto mark = error_marks::Find(scope, thrown)) result.cause = mark->cause;
  result.error = DescribeError(scope, thrown, message);
  return result;
}

std::optional<GuestResult> IsolateGuest::Caught(const GuestScope& scope, const GuestCatch& caught,
                                                StopCause cause) {
  if (caught.IsStopped()) return std::nullopt;
  if (!caught.HasThrown()) {
    // V8 refuses without an exception only what is too large to be held.
    GuestResult result{.cause = cause, .value = {}, .error = {}};
    result.error.name = "RangeError";
    result.error.message = "The source or a value in the request is too large";
    return result;
  }
  GuestResult result = Fail(scope, caught.Exception(), caught.Message());
  if (result.cause == StopCause::kGuestError) result.cause = cause;
  return result;
}

}  // namespace isobox
