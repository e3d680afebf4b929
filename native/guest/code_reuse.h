#pragma once
// Compiles a source with the code that an earlier guest's compiler made of it. V8 believes such
// bytes, so they are only made in an isolate in which no guest has run yet, and stay in this
// process. Worker thread, isolate entered.

#include "native/core/code_cache.h"
#include "v8.h"

namespace isobox {

class CodeReuse {
 public:
  // The unit's texts outlive this. Nothing is kept of an empty one.
  explicit CodeReuse(const CodeCache::Unit& unit);

  v8::MaybeLocal<v8::Module> CompileModule(v8::Isolate* isolate, v8::Local<v8::String> text,
                                           const v8::ScriptOrigin& origin);
  v8::MaybeLocal<v8::UnboundScript> CompileScript(v8::Isolate* isolate, v8::Local<v8::String> text,
                                                  const v8::ScriptOrigin& origin);

  // Whether the code was there, and V8 took it: all that was found out before it was kept still
  // holds.
  bool is_reused() const { return is_reused_; }

  // Keeps the code for later runs if it is asked for often enough. Only before anything of the
  // guest has run.
  void Keep(v8::Local<v8::UnboundModuleScript> script);
  void Keep(v8::Local<v8::UnboundScript> script);

 private:
  template <typename Compile>
  auto CompileWith(v8::Local<v8::String> text, const v8::ScriptOrigin& origin, Compile compile);
  template <typename Script>
  void KeepCodeOf(Script script);

  const CodeCache::Unit unit_;
  CodeCache::Finding found_;
  bool is_reused_ = false;
};

}  // namespace isobox
