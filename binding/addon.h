#pragma once
// What one load of the addon in one environment owns. Loop thread only.

#include <napi.h>

#include <chrono>
#include <memory>
#include <unordered_set>
#include <vector>

#include "native/core/any_pool.h"

namespace isobox {

class PoolObject;

class AddonData {
 public:
  static AddonData& From(Napi::Env env) { return *env.GetInstanceData<AddonData>(); }

  void Add(PoolObject* pool) { pools_.insert(pool); }
  // The object is gone; its threads or processes may still be on their way out.
  void Remove(PoolObject* object, std::shared_ptr<AnyPool> pool);
  // Ends every run of this environment and waits for the threads, though never for long.
  void CloseAll();

 private:
  std::unordered_set<PoolObject*> pools_;
  std::vector<std::shared_ptr<AnyPool>> leaving_;
};

}  // namespace isobox
