#pragma once
// ES modules of one run: compiled, linked and evaluated by V8 from sources and host values the plan
// supplies, and from nowhere else. Worker thread, isolate entered.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "native/core/run_types.h"
#include "native/guest/call_bridge.h"
#include "native/guest/guest_library.h"
#include "native/guest/guest_scope.h"
#include "native/guest/module_exports.h"

namespace isobox {

class GuestModules {
 public:
  // Everything referred to outlives the modules.
  GuestModules(const RunRequest& request, CallBridge& bridge, GuestLibrary& library);

  // Links the entry and all it imports. False with `failure` filled in.
  bool LinkEntry(const GuestScope& scope, ErrorReport& failure);
  // The promise of the entry's evaluation.
  v8::MaybeLocal<v8::Promise> EvaluateEntry(const GuestScope& scope);
  // The export the plan selects; empty with no exception when there is none.
  v8::MaybeLocal<v8::Value> SelectedExport(const GuestScope& scope);

  // Makes dynamic import and import.meta work in this isolate.
  static void InstallCallbacks(v8::Isolate* isolate);

 private:
  // Without source and plan it is a module of the library.
  struct Record {
    std::string path;  // for source modules: what relative imports start from
    std::string filename;
    const std::string* source = nullptr;
    const SyntheticModulePlan* synthetic = nullptr;
    v8::Global<v8::Module> module;
    ModuleExports exports;  // of what is not code
  };
  using RecordIndex = size_t;

  static v8::MaybeLocal<v8::Module> OnResolve(v8::Local<v8::Context> context,
                                              v8::Local<v8::String> specifier,
                                              v8::Local<v8::FixedArray> attributes,
                                              v8::Local<v8::Module> referrer);
  static v8::MaybeLocal<v8::Value> OnEvaluateSynthetic(v8::Local<v8::Context> context,
                                                       v8::Local<v8::Module> module);
  static v8::MaybeLocal<v8::Promise> OnDynamicImport(v8::Local<v8::Context> context,
                                                     v8::Local<v8::Data> options,
                                                     v8::Local<v8::Value> referrer_name,
                                                     v8::Local<v8::String> specifier,
                                                     v8::Local<v8::FixedArray> attributes);
  static void OnImportMeta(v8::Local<v8::Context> context, v8::Local<v8::Module> module,
                           v8::Local<v8::Object> meta);

  // The record a specifier leads to from a module, made if it is met for the first time.
  std::optional<RecordIndex> Resolve(std::string_view referrer_path, const std::string& specifier);
  std::optional<RecordIndex> FindRecord(v8::Local<v8::Module> module) const;
  RecordIndex AddRecord(const std::string& key, Record record);

  // Compiles a record and, through its imports, everything it needs.
  bool CompileGraph(const GuestScope& scope, RecordIndex start, ErrorReport& failure);
  bool Compile(const GuestScope& scope, RecordIndex index, ErrorReport& failure);
  bool Link(const GuestScope& scope, RecordIndex index, ErrorReport& failure);
  v8::MaybeLocal<v8::Module> CompileSource(const GuestScope& scope, RecordIndex index);
  v8::MaybeLocal<v8::Module> MakeSynthetic(const GuestScope& scope, RecordIndex index);
  // The import that stands at or behind a position, for errors that only say where.
  std::string SpecifierAt(const GuestScope& scope, const ErrorReport& place);
  v8::MaybeLocal<v8::Promise> ImportDynamically(const GuestScope& scope, RecordIndex importer,
                                                v8::Local<v8::String> specifier,
                                                v8::Local<v8::FixedArray> attributes);

  const RunRequest& request_;
  CallBridge& bridge_;
  GuestLibrary& library_;
  std::vector<Record> records_;  // the entry is the first
  std::unordered_map<std::string, RecordIndex> by_key_;
  bool has_run_ = false;  // whether anything of the guest has
};

}  // namespace isobox
