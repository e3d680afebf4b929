#include "native/guest/code_reuse.h"

#include <memory>
#include <vector>

namespace isobox {
namespace {

// Code of all sources in this process.
constexpr size_t kCacheBytes = size_t{32} * 1024 * 1024;
// Shorter ones compile as fast as their code is read.
constexpr size_t kMinSourceBytes = 2048;
// What takes longer to write down than a caller should wait for.
constexpr size_t kMaxSourceBytes = size_t{1024} * 1024;

// Never destroyed: threads may still run when the process ends.
CodeCache& Cache() {
  static auto* const cache = new CodeCache(kCacheBytes);
  return *cache;
}

bool IsWorthwhile(const CodeCache::Unit& unit) {
  return unit.source.size() >= kMinSourceBytes && unit.source.size() <= kMaxSourceBytes;
}

}  // namespace

CodeReuse::CodeReuse(const CodeCache::Unit& unit) : unit_(unit) {
  if (IsWorthwhile(unit)) found_ = Cache().Find(unit);
}

template <typename Compile>
auto CodeReuse::CompileWith(v8::Local<v8::String> text, const v8::ScriptOrigin& origin,
                            Compile compile) {
  if (!found_.code) {
    v8::ScriptCompiler::Source source(text, origin);
    return compile(&source, v8::ScriptCompiler::kNoCompileOptions);
  }
  using CachedData = v8::ScriptCompiler::CachedData;
  const std::vector<uint8_t>& code = *found_.code;
  // The source owns the description of the bytes, but not the bytes.
  v8::ScriptCompiler::Source source(
      text, origin,
      new CachedData(code.data(), static_cast<int>(code.size()), CachedData::BufferNotOwned));
  const auto compiled = compile(&source, v8::ScriptCompiler::kConsumeCodeCache);
  is_reused_ = !source.GetCachedData()->rejected;
  // As after a change of V8's flags.
  found_.is_wanted = !is_reused_;
  return compiled;
}

v8::MaybeLocal<v8::Module> CodeReuse::CompileModule(v8::Isolate* isolate,
                                                    v8::Local<v8::String> text,
                                                    const v8::ScriptOrigin& origin) {
  return CompileWith(text, origin, [&](auto* source, auto options) {
    return v8::ScriptCompiler::CompileModule(isolate, source, options);
  });
}

v8::MaybeLocal<v8::UnboundScript> CodeReuse::CompileScript(v8::Isolate* isolate,
                                                           v8::Local<v8::String> text,
                                                           const v8::ScriptOrigin& origin) {
  return CompileWith(text, origin, [&](auto* source, auto options) {
    return v8::ScriptCompiler::CompileUnboundScript(isolate, source, options);
  });
}

template <typename Script>
void CodeReuse::KeepCodeOf(Script script) {
  if (!found_.is_wanted) return;
  const std::unique_ptr<v8::ScriptCompiler::CachedData> data(
      v8::ScriptCompiler::CreateCodeCache(script));
  if (!data) return;
  Cache().Put(unit_, std::vector<uint8_t>(data->data, data->data + data->length));
}

void CodeReuse::Keep(v8::Local<v8::UnboundModuleScript> script) { KeepCodeOf(script); }
void CodeReuse::Keep(v8::Local<v8::UnboundScript> script) { KeepCodeOf(script); }

}  // namespace isobox
