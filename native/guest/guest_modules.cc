#include "native/guest/guest_modules.h"

#include <climits>
#include <unordered_set>
#include <utility>

#include "native/core/module_path.h"
#include "native/guest/code_reuse.h"
#include "native/guest/error_marks.h"
#include "native/guest/error_report.h"
#include "native/guest/guest_catch.h"
#include "native/values/text.h"
#include "native/values/v8_api.h"

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
      return ToUtf8(scope.isolate(),
                    v8_api::ElementOf(scope.context(), attributes, at).As<v8::String>());
    };
    if (text(i) != "type" || text(i + 1) != "json" || !EndsWith(path, kJsonSuffix)) return false;
  }
  return true;
}

// Static imports also give each attribute's position.
constexpr size_t kStaticStride = 3;
constexpr size_t kDynamicStride = 2;

ErrorReport LinkFailure(std::string name, std::string message, const std::string& specifier) {
  ErrorReport report;
  report.name = std::move(name);
  report.message = std::move(message);
  report.specifier = specifier;
  return report;
}

ErrorReport NotFound(const std::string& specifier, const std::string& importer) {
  return LinkFailure("ModuleNotFoundError",
                     "Cannot find module '" + specifier + "' imported from '" + importer + "'",
                     specifier);
}

ErrorReport BadAttributes(const std::string& specifier) {
  return LinkFailure("TypeError",
                     "The import attributes do not fit '" + specifier +
                         "': only { type: 'json' } on a .json module is known",
                     specifier);
}

}  // namespace

GuestModules::GuestModules(const RunRequest& request, CallBridge& bridge, GuestLibrary& library)
    : request_(request), bridge_(bridge), library_(library) {
  AddRecord("guest:" + request.module.entry_path,
            {request.module.entry_path, request.filename, &request.source, nullptr, {}, {}});
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
      return AddRecord(key, {{}, specifier, nullptr, &synthetic, {}, {}});
    }
    if (library_.HasModule(specifier)) {
      return AddRecord(key, {{}, specifier, nullptr, nullptr, {}, {}});
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
      return AddRecord(key, {candidate, candidate, &source.source, nullptr, {}, {}});
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

v8::MaybeLocal<v8::Module> GuestModules::CompileSource(const GuestScope& scope, RecordIndex index) {
  v8::Isolate* const isolate = scope.isolate();
  const Record& record = records_[index];
  v8::Local<v8::String> text;
  v8::Local<v8::String> name;
  if (!ToV8(isolate, *record.source).ToLocal(&text) ||
      !ToV8(isolate, record.filename).ToLocal(&name)) {
    return {};
  }
  // Dynamic imports come back with the record they stand in; file names need not be unique.
  const auto options = v8::PrimitiveArray::New(isolate, 1);
  options->Set(isolate, 0, v8::Integer::New(isolate, static_cast<int>(index)));
  const v8::ScriptOrigin origin =
      v8_api::MakeOrigin(isolate, name, 0, v8_api::OriginKind::kModule, options);
  // Code that has forgotten where it stands imports like the entry does.
  const bool may_reuse = index == 0 || v8_api::kCodeKeepsOptions;
  CodeReuse code(may_reuse ? CodeCache::Unit{SourceKind::kModule, record.filename, *record.source}
                           : CodeCache::Unit{});
  v8::Local<v8::Module> module;
  if (!code.CompileModule(isolate, text, origin).ToLocal(&module)) return {};
  if (!has_run_) code.Keep(module->GetUnboundModuleScript());
  return module;
}

// The exported values are made here, where they may fail; evaluation only hands them out. The
// library's code may import while it makes them, which moves the records.
v8::MaybeLocal<v8::Module> GuestModules::MakeSynthetic(const GuestScope& scope, RecordIndex index) {
  v8::Isolate* const isolate = scope.isolate();
  v8::Local<v8::String> filename;
  if (!ToV8(isolate, records_[index].filename).ToLocal(&filename)) return {};
  const auto* const source = records_[index].source;
  const auto* const synthetic = records_[index].synthetic;
  ModuleExports exports;
  const bool is_made = synthetic != nullptr ? exports.AddHost(scope, *synthetic, bridge_)
                       : source != nullptr  ? exports.AddJson(scope, *source)
                                            : exports.AddLibrary(scope, filename, library_);
  if (!is_made) return {};
  std::vector<v8::Local<v8::String>> names;
  names.reserve(exports.names.size());
  for (const auto& name : exports.names)
    names.push_back(name.Get(isolate));
  records_[index].exports = std::move(exports);
  return v8_api::NewSyntheticModule(isolate, filename, names, OnEvaluateSynthetic);
}

bool GuestModules::Compile(const GuestScope& scope, RecordIndex index, ErrorReport& failure) {
  const bool is_synthetic =
      records_[index].source == nullptr || EndsWith(records_[index].path, kJsonSuffix);
  v8::Local<v8::Module> module;
  const GuestCatch caught(scope);
  const auto compiled = is_synthetic ? MakeSynthetic(scope, index) : CompileSource(scope, index);
  const std::string& filename = records_[index].filename;
  if (!compiled.ToLocal(&module)) {
    if (caught.HasThrown()) {
      failure = DescribeError(scope, caught.Exception(), caught.Message());
    } else {
      failure = LinkFailure("RangeError", "There is no room for '" + filename + "'", filename);
    }
    failure.filename = records_[index].filename;
    return false;
  }
  records_[index].module.Reset(scope.isolate(), module);
  return true;
}

bool GuestModules::CompileGraph(const GuestScope& scope, RecordIndex start, ErrorReport& failure) {
  std::vector<RecordIndex> open = {start};
  std::unordered_set<RecordIndex> seen = {start};
  while (!open.empty()) {
    const RecordIndex index = open.back();
    open.pop_back();
    if (records_[index].module.IsEmpty() && !Compile(scope, index, failure)) return false;
    const v8::Local<v8::Module> module = records_[index].module.Get(scope.isolate());
    // A linked module has all it needs; one whose graph failed before is looked at again.
    if (!module->IsSourceTextModule() || module->GetStatus() != v8::Module::kUninstantiated) {
      continue;
    }
    const v8::Local<v8::FixedArray> requests = module->GetModuleRequests();
    for (int i = 0; i < requests->Length(); ++i) {
      const auto request = v8_api::ElementOf(scope.context(), requests, i).As<v8::ModuleRequest>();
      const std::string specifier = ToUtf8(scope.isolate(), request->GetSpecifier());
      const auto target = Resolve(records_[index].path, specifier);
      if (target && AttributesFit(scope, v8_api::AttributesOf(request), kStaticStride,
                                  records_[*target].path)) {
        if (seen.insert(*target).second) open.push_back(*target);
        continue;
      }
      failure = target ? BadAttributes(specifier) : NotFound(specifier, records_[index].filename);
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
  const GuestCatch caught(scope);
  if (module->InstantiateModule(scope.context(), OnResolve).FromMaybe(false)) return true;
  if (caught.HasThrown()) {
    failure = DescribeError(scope, caught.Exception(), caught.Message());
    failure.specifier = SpecifierAt(scope, failure);
  }
  return false;
}

std::string GuestModules::SpecifierAt(const GuestScope& scope, const ErrorReport& place) {
  std::string nearest;
  std::pair<int, int> nearest_place(INT_MAX, INT_MAX);
  for (const Record& record : records_) {
    if (record.filename != place.filename || record.module.IsEmpty()) continue;
    const v8::Local<v8::Module> module = record.module.Get(scope.isolate());
    if (!module->IsSourceTextModule()) continue;
    const v8::Local<v8::FixedArray> requests = module->GetModuleRequests();
    for (int i = 0; i < requests->Length(); ++i) {
      const auto request = v8_api::ElementOf(scope.context(), requests, i).As<v8::ModuleRequest>();
      v8::Location location = module->SourceOffsetToLocation(request->GetSourceOffset());
      const std::pair<int, int> at(location.GetLineNumber() + 1, location.GetColumnNumber() + 1);
      if (at < std::pair(place.line, place.column) || at >= nearest_place) continue;
      nearest_place = at;
      nearest = ToUtf8(scope.isolate(), request->GetSpecifier());
    }
  }
  return nearest;
}

bool GuestModules::LinkEntry(const GuestScope& scope, ErrorReport& failure) {
  return Link(scope, 0, failure);
}

v8::MaybeLocal<v8::Promise> GuestModules::EvaluateEntry(const GuestScope& scope) {
  has_run_ = true;
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
  if (!target || self.records_[*target].module.IsEmpty()) {
    isolate->ThrowException(v8::Exception::Error(specifier));
    return {};
  }
  return self.records_[*target].module.Get(isolate);
}

v8::MaybeLocal<v8::Value> GuestModules::OnEvaluateSynthetic(v8::Local<v8::Context> context,
                                                            v8::Local<v8::Module> module) {
  GuestModules& self = *GuestIsolate::Current()->parts().modules;
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  if (const auto index = self.FindRecord(module)) {
    const Record& record = self.records_[*index];
    for (size_t i = 0; i < record.exports.values.size(); ++i) {
      if (module
              ->SetSyntheticModuleExport(isolate, record.exports.names[i].Get(isolate),
                                         record.exports.values[i].Get(isolate))
              .IsNothing()) {
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
                                                          v8::Local<v8::Data> options,
                                                          v8::Local<v8::Value> /*referrer_name*/,
                                                          v8::Local<v8::String> specifier,
                                                          v8::Local<v8::FixedArray> attributes) {
  const auto& parts = GuestIsolate::Current()->parts();
  // Code that says no more imports like the entry does.
  RecordIndex importer = 0;
  const auto record = options.As<v8::PrimitiveArray>();
  if (!record.IsEmpty() && record->Length() == 1) {
    importer = static_cast<RecordIndex>(
        record->Get(v8::Isolate::GetCurrent(), 0).As<v8::Int32>()->Value());
  }
  return parts.modules->ImportDynamically(*parts.scope, importer, specifier, attributes);
}

v8::MaybeLocal<v8::Promise> GuestModules::ImportDynamically(const GuestScope& scope,
                                                            RecordIndex importer,
                                                            v8::Local<v8::String> specifier,
                                                            v8::Local<v8::FixedArray> attributes) {
  v8::Isolate* const isolate = scope.isolate();
  const auto context = scope.context();
  const std::string wanted = ToUtf8(isolate, specifier);
  const auto target = Resolve(records_[importer].path, wanted);
  ErrorReport failure;
  bool is_linked = false;
  if (!target) {
    failure = NotFound(wanted, records_[importer].filename);
  } else if (!AttributesFit(scope, attributes, kDynamicStride, records_[*target].path)) {
    failure = BadAttributes(wanted);
  } else {
    is_linked = Link(scope, *target, failure);
  }
  if (scope.IsStopped()) return {};
  if (!is_linked) {
    v8::Local<v8::Promise::Resolver> resolver;
    if (!v8::Promise::Resolver::New(context).ToLocal(&resolver)) return {};
    const auto error = error_marks::MakeError(scope, {StopCause::kLinkError,
                                                      {failure.name, failure.message, {}},
                                                      wanted,
                                                      failure.filename,
                                                      failure.line,
                                                      failure.column});
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
