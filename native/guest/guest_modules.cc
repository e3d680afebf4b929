#include "native/guest/guest_modules.h"

#include <utility>

#include "native/core/module_path.h"
#include "native/guest/error_report.h"
#include "native/guest/platform.h"
#include "native/guest/text.h"

namespace isobox {
namespace {

constexpr std::string_view kJsonSuffix = ".json";

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// Import attributes come as key, value, position; only `type: "json"` on a JSON module means
// something here.
bool AttributesFit(const GuestScope& scope, v8::Local<v8::FixedArray> attributes, size_t stride,
                   std::string_view path) {
  for (int i = 0; i + 1 < attributes->Length(); i += static_cast<int>(stride)) {
    const auto text = [&](int at) {
      return ToUtf8(scope.isolate(), platform::ElementOf(scope.context(), attributes, at).As<v8::String>());
    };
    if (text(i) != "type" || text(i + 1) != "json" || !EndsWith(path, kJsonSuffix)) return false;
  }
  return true;
}

constexpr size_t kStaticAttributeStride = 3;

ErrorReport NotFound(const std::string& specifier, const std::string& importer) {
  ErrorReport report;
  report.name = "ModuleNotFoundError";
  report.message = "Cannot find module '" + specifier + "' imported from '" + importer + "'";
  report.specifier = specifier;
  return report;
}

}  // namespace

GuestModules::GuestModules(const RunRequest& request, CallBridge& bridge, ErrorMarks& marks)
    : request_(request), bridge_(bridge), marks_(marks) {
  AddRecord("entry", {request.module.entry_path, request.filename, &request.source, nullptr, {}});
}

void GuestModules::InstallCallbacks(v8::Isolate* isolate) {
  isolate->SetHostImportModuleDynamicallyCallback(OnDynamicImport);
  isolate->SetHostInitializeImportMetaObjectCallback(OnImportMeta);
}

GuestModules::RecordIndex GuestModules::AddRecord(const std::string& key, Record record) {
  records_.push_back(std::move(record));
  by_key_.emplace(key, records_.size() - 1);
  return records_.size() - 1;
}

std::optional<GuestModules::RecordIndex> GuestModules::Resolve(std::string_view referrer_path,
                                                               const std::string& specifier) {
  const ModulePlan& plan = request_.module;
  if (!IsRelativeSpecifier(specifier)) {
    const std::string key = "host:" + specifier;
    if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second;
    for (const SyntheticModulePlan& synthetic : plan.synthetic) {
      if (synthetic.specifier != specifier) continue;
      return AddRecord(key, {{}, specifier, nullptr, &synthetic, {}});
    }
    return std::nullopt;
  }
  const auto path = ResolvePath(referrer_path, specifier);
  if (!path) return std::nullopt;
  static const std::vector<std::string> kExact = {""};
  for (const std::string& suffix : HasExtension(*path) ? kExact : plan.suffixes) {
    const std::string candidate = *path + suffix;
    const std::string key = "guest:" + candidate;
    if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second;
    for (const SourceModulePlan& source : plan.sources) {
      if (source.path != candidate) continue;
      return AddRecord(key, {candidate, candidate, &source.source, nullptr, {}});
    }
  }
  return std::nullopt;
}

std::optional<GuestModules::RecordIndex> GuestModules::FindRecord(
    v8::Local<v8::Module> module) const {
  for (RecordIndex i = 0; i < records_.size(); ++i) {
    if (records_[i].module == module) return i;
  }
  return std::nullopt;
}

v8::MaybeLocal<v8::Module> GuestModules::CompileSource(const GuestScope& scope,
                                                       const Record& record) {
  v8::Isolate* const isolate = scope.isolate();
  v8::Local<v8::String> text;
  v8::Local<v8::String> name;
  if (!ToV8(isolate, *record.source).ToLocal(&text) ||
      !ToV8(isolate, record.filename).ToLocal(&name)) {
    return {};
  }
  const v8::ScriptOrigin origin =
      platform::MakeOrigin(isolate, name, 0, platform::OriginKind::kModule);
  v8::ScriptCompiler::Source source(text, origin);
  return v8::ScriptCompiler::CompileModule(isolate, &source);
}

v8::Local<v8::Module> GuestModules::MakeSynthetic(const GuestScope& scope, const Record& record) {
  v8::Isolate* const isolate = scope.isolate();
  std::vector<v8::Local<v8::String>> names;
  if (record.synthetic == nullptr) {
    names.push_back(Intern(isolate, "default"));
  } else {
    for (const auto& [name, value] : record.synthetic->exports) {
      v8::Local<v8::String> text;
      if (ToV8(isolate, name).ToLocal(&text)) names.push_back(text);
    }
  }
  v8::Local<v8::String> name;
  if (!ToV8(isolate, record.filename).ToLocal(&name)) name = v8::String::Empty(isolate);
  return platform::NewSyntheticModule(isolate, name, names, OnEvaluateSynthetic);
}

bool GuestModules::Compile(const GuestScope& scope, RecordIndex index, ErrorReport& failure) {
  Record& record = records_[index];
  v8::Local<v8::Module> module;
  if (record.synthetic != nullptr || EndsWith(record.path, kJsonSuffix)) {
    module = MakeSynthetic(scope, record);
  } else {
    const v8::TryCatch caught(scope.isolate());
    if (!CompileSource(scope, record).ToLocal(&module)) {
      if (caught.HasCaught()) {
        failure = DescribeError(scope, caught.Exception(), caught.Message(), marks_);
      }
      return false;
    }
  }
  record.module.Reset(scope.isolate(), module);
  return true;
}

bool GuestModules::CompileGraph(const GuestScope& scope, RecordIndex start, ErrorReport& failure) {
  std::vector<RecordIndex> open = {start};
  while (!open.empty()) {
    const RecordIndex index = open.back();
    open.pop_back();
    if (!records_[index].module.IsEmpty()) continue;
    if (!Compile(scope, index, failure)) return false;
    const v8::Local<v8::Module> module = records_[index].module.Get(scope.isolate());
    if (!module->IsSourceTextModule()) continue;
    const v8::Local<v8::FixedArray> requests = module->GetModuleRequests();
    for (int i = 0; i < requests->Length(); ++i) {
      const auto request = platform::ElementOf(scope.context(), requests, i).As<v8::ModuleRequest>();
      const std::string specifier = ToUtf8(scope.isolate(), request->GetSpecifier());
      const auto target = Resolve(records_[index].path, specifier);
      const auto attributes = platform::AttributesOf(request);
      if (target &&
          AttributesFit(scope, attributes, kStaticAttributeStride, records_[*target].path)) {
        open.push_back(*target);
        continue;
      }
      failure = NotFound(specifier, records_[index].filename);
      v8::Location place = module->SourceOffsetToLocation(request->GetSourceOffset());
      failure.filename = records_[index].filename;
      failure.line = place.GetLineNumber() + 1;
      failure.column = place.GetColumnNumber() + 1;
      return false;
    }
  }
  return true;
}

bool GuestModules::Link(const GuestScope& scope, RecordIndex index, ErrorReport& failure) {
  if (!CompileGraph(scope, index, failure)) return false;
  const v8::Local<v8::Module> module = records_[index].module.Get(scope.isolate());
  const v8::TryCatch caught(scope.isolate());
  if (module->InstantiateModule(scope.context(), OnResolve).FromMaybe(false)) return true;
  if (caught.HasCaught()) {
    failure = DescribeError(scope, caught.Exception(), caught.Message(), marks_);
  }
  return false;
}

bool GuestModules::LinkEntry(const GuestScope& scope, ErrorReport& failure) {
  return Link(scope, 0, failure);
}

v8::MaybeLocal<v8::Promise> GuestModules::EvaluateEntry(const GuestScope& scope) {
  v8::Local<v8::Value> promise;
  const v8::Local<v8::Module> entry = records_[0].module.Get(scope.isolate());
  if (!entry->Evaluate(scope.context()).ToLocal(&promise)) return {};
  return promise.As<v8::Promise>();
}

v8::MaybeLocal<v8::Value> GuestModules::SelectedExport(const GuestScope& scope) {
  v8::Local<v8::String> name;
  if (!ToV8(scope.isolate(), request_.module.export_name).ToLocal(&name)) return {};
  const auto exports =
      records_[0].module.Get(scope.isolate())->GetModuleNamespace().As<v8::Object>();
  if (!exports->HasOwnProperty(scope.context(), name).FromMaybe(false)) return {};
  return exports->Get(scope.context(), name);
}

v8::MaybeLocal<v8::Module> GuestModules::OnResolve(v8::Local<v8::Context> /*context*/,
                                                   v8::Local<v8::String> specifier,
                                                   v8::Local<v8::FixedArray> /*attributes*/,
                                                   v8::Local<v8::Module> referrer) {
  GuestModules& self = *GuestIsolate::Current()->parts().modules;
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  const auto importer = self.FindRecord(referrer);
  if (!importer) return {};
  // The whole graph was compiled before linking began, so every request has its module.
  const auto target = self.Resolve(self.records_[*importer].path, ToUtf8(isolate, specifier));
  if (!target) return {};
  return self.records_[*target].module.Get(isolate);
}

v8::MaybeLocal<v8::Value> GuestModules::OnEvaluateSynthetic(v8::Local<v8::Context> context,
                                                            v8::Local<v8::Module> module) {
  GuestModules& self = *GuestIsolate::Current()->parts().modules;
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  const auto index = self.FindRecord(module);
  if (!index) return {};
  const auto export_value = [&](v8::Local<v8::String> name, v8::Local<v8::Value> value) {
    return module->SetSyntheticModuleExport(isolate, name, value).FromMaybe(false);
  };
  const Record& record = self.records_[*index];
  if (record.synthetic == nullptr) {
    v8::Local<v8::String> text;
    v8::Local<v8::Value> value;
    if (!ToV8(isolate, *record.source).ToLocal(&text) ||
        !v8::JSON::Parse(context, text).ToLocal(&value) ||
        !export_value(Intern(isolate, "default"), value)) {
      return {};
    }
  } else {
    for (const auto& [name, payload] : record.synthetic->exports) {
      v8::Local<v8::String> text;
      v8::Local<v8::Value> value;
      if (!ToV8(isolate, name).ToLocal(&text) ||
          !DecodeClone(context, payload, self.bridge_, self.bridge_).ToLocal(&value) ||
          !export_value(text, value)) {
        return {};
      }
    }
  }
  v8::Local<v8::Promise::Resolver> done;
  if (!v8::Promise::Resolver::New(context).ToLocal(&done)) return {};
  done->Resolve(context, v8::Undefined(isolate)).FromMaybe(false);
  return done->GetPromise();
}

v8::MaybeLocal<v8::Promise> GuestModules::OnDynamicImport(v8::Local<v8::Context> /*context*/,
                                                          v8::Local<v8::Data> /*options*/,
                                                          v8::Local<v8::Value> referrer_name,
                                                          v8::Local<v8::String> specifier,
                                                          v8::Local<v8::FixedArray> /*attributes*/) {
  const auto& parts = GuestIsolate::Current()->parts();
  return parts.modules->ImportDynamically(*parts.scope, referrer_name, specifier);
}

v8::MaybeLocal<v8::Promise> GuestModules::ImportDynamically(const GuestScope& scope,
                                                            v8::Local<v8::Value> referrer_name,
                                                            v8::Local<v8::String> specifier) {
  v8::Isolate* const isolate = scope.isolate();
  const auto context = scope.context();
  const std::string wanted = ToUtf8(isolate, specifier);
  std::string importer;
  if (referrer_name->IsString()) importer = ToUtf8(isolate, referrer_name.As<v8::String>());
  // Scripts import like the entry does; modules are known by their file name.
  std::string_view importer_path = request_.module.entry_path;
  for (const Record& record : records_) {
    if (record.filename == importer) importer_path = record.path;
  }
  ErrorReport failure;
  const auto target = Resolve(importer_path, wanted);
  if (!target) failure = NotFound(wanted, importer);
  if (!target || !Link(scope, *target, failure)) {
    v8::Local<v8::Promise::Resolver> resolver;
    if (isolate->IsExecutionTerminating() ||
        !v8::Promise::Resolver::New(context).ToLocal(&resolver)) {
      return {};
    }
    const auto error =
        marks_.MakeError(scope, {.cause = StopCause::kLinkError,
                                 .error = {failure.name, failure.message, {}},
                                 .specifier = wanted});
    resolver->Reject(context, error).FromMaybe(false);
    return resolver->GetPromise();
  }
  const v8::Local<v8::Module> module = records_[*target].module.Get(isolate);
  v8::Local<v8::Value> evaluated;
  v8::Local<v8::Function> give_namespace;
  if (!module->Evaluate(context).ToLocal(&evaluated) ||
      !v8::Function::New(
           context,
           [](const v8::FunctionCallbackInfo<v8::Value>& info) {
             info.GetReturnValue().Set(info.Data());
           },
           module->GetModuleNamespace())
           .ToLocal(&give_namespace)) {
    return {};
  }
  return evaluated.As<v8::Promise>()->Then(context, give_namespace);
}

void GuestModules::OnImportMeta(v8::Local<v8::Context> context, v8::Local<v8::Module> module,
                                v8::Local<v8::Object> meta) {
  GuestModules& self = *GuestIsolate::Current()->parts().modules;
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  const auto index = self.FindRecord(module);
  if (!index) return;
  v8::Local<v8::String> url;
  const std::string text = self.request_.module.meta_url_prefix + self.records_[*index].filename;
  if (!ToV8(isolate, text).ToLocal(&url)) return;
  meta->CreateDataProperty(context, Intern(isolate, "url"), url).FromMaybe(false);
}

}  // namespace isobox
