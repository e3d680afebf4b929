#pragma once
// What one load of the addon in one environment owns. Loop thread only.

#include <napi.h>

#include <chrono>
#include <unordered_set>

namespace isobox {

class PoolObject;

class AddonData {
 public:
  static AddonData& From(Napi::Env env) { return *env.GetInstanceData<AddonData>(); }

  void Add(PoolObject* pool) { pools_.insert(pool); }
  void Remove(PoolObject* pool) { pools_.erase(pool); }
  // Ends every run of this environment and waits for the threads, though never for long.
  void CloseAll();

 private:
  std::unordered_set<PoolObject*> pools_;
};

}  // namespace isobox
