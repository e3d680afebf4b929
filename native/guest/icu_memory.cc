#include "native/guest/icu_memory.h"

#include <dlfcn.h>

#include <cstdlib>

#include "native/core/system.h"

namespace isobox::icu_memory {
namespace {

thread_local MemoryMeter* payer = nullptr;

void Report(void* memory, int64_t sign) {
  if (payer != nullptr && memory != nullptr) {
    payer->ReportNative(sign * static_cast<int64_t>(system::AllocatedBytes(memory)));
  }
}

// ICU's default functions are these without the counting, so blocks from before can be given back
// here.
void* Allocate(const void* /*context*/, size_t bytes) {
  void* const memory = std::malloc(bytes);
  Report(memory, 1);
  return memory;
}

void* Reallocate(const void* /*context*/, void* memory, size_t bytes) {
  Report(memory, -1);
  void* const moved = std::realloc(memory, bytes);
  Report(moved != nullptr ? moved : memory, 1);
  return moved;
}

void Free(const void* /*context*/, void* memory) {
  Report(memory, -1);
  std::free(memory);
}

}  // namespace

void Count(const std::string& version) {
  // As in unicode/uclean.h, which does not come with Node.
  using SetMemoryFunctions = void (*)(const void* context, decltype(&Allocate),
                                      decltype(&Reallocate), decltype(&Free), int* status);
  const std::string name = "u_setMemoryFunctions_" + version.substr(0, version.find('.'));
  const auto set = reinterpret_cast<SetMemoryFunctions>(dlsym(RTLD_DEFAULT, name.c_str()));
  int status = 0;
  if (set != nullptr) set(nullptr, Allocate, Reallocate, Free, &status);
}

void SetPayer(MemoryMeter* meter) { payer = meter; }

}  // namespace isobox::icu_memory
