#include "native/guest/encode_support.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace isobox {
namespace {

// Has the kernel give the pages of memory that is about to be written all at once, for less than
// half of what it costs one by one. A kernel that cannot gives them one by one.
void Populate([[maybe_unused]] char* data, [[maybe_unused]] size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t before = (page - reinterpret_cast<uintptr_t>(data) % page) % page;
  if (bytes > before) madvise(data + before, bytes - before, MADV_POPULATE_WRITE);
#endif
}

}  // namespace

void EncodeState::Reserve(size_t bytes) {
  constexpr size_t kWorthPopulating = 256U << 10U;
  if (out.capacity() - out.size() >= bytes) return;
  out.reserve(std::max(out.size() + bytes, 2 * out.capacity()));
  if (bytes >= kWorthPopulating) Populate(out.data() + out.size(), bytes);
}

std::string_view DescribeKind(v8::Local<v8::Value> value) {
  if (value->IsBigInt()) return "is a bigint, which cannot cross";
  if (value->IsSymbol()) return "is a symbol, which cannot cross";
  if (value->IsFunction()) return "is a function, which cannot cross";
  if (value->IsNumber()) return "is not a finite number";
  if (value->IsProxy()) return "is a Proxy, which cannot cross";
  if (value->IsPromise()) return "is a Promise: await it first";
  if (value->IsDate()) return "is a Date, which cannot cross: send a string or a number";
  if (value->IsMap()) return "is a Map, which cannot cross: send a plain object";
  if (value->IsSet()) return "is a Set, which cannot cross: send an array";
  if (value->IsNativeError()) return "is an Error, which cannot cross: send its message";
  return "is not a plain object or array";
}

}  // namespace isobox
