#include "native/values/encode_support.h"

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

void EncodeState::Reserve(size_t bytes, std::string& to) {
  constexpr size_t kWorthPopulating = 256U << 10U;
  if (to.capacity() - to.size() >= bytes) return;
  to.reserve(std::max(to.size() + bytes, 2 * to.capacity()));
  if (bytes >= kWorthPopulating) Populate(to.data() + to.size(), bytes);
}

std::string_view DescribeKind(v8::Local<v8::Value> value) {
  if (value->IsBigInt()) return "is a bigint: convert it with String() or Number()";
  if (value->IsSymbol()) return "is a symbol: use a string instead";
  if (value->IsFunction()) return "is a function: call it, and use what it returns";
  if (value->IsNumber()) return "is not a finite number: use null or a string for NaN and Infinity";
  if (value->IsProxy()) return "is a Proxy: copy it into a plain object";
  if (value->IsPromise()) return "is a Promise: await it first";
  if (value->IsDate()) return "is a Date: convert it with toISOString() or getTime()";
  if (value->IsMap()) return "is a Map: convert it with Object.fromEntries()";
  if (value->IsSet()) return "is a Set: convert it with Array.from()";
  if (value->IsNativeError()) return "is an Error: use its message";
  return "is not a plain object or array: copy its fields into one, as in { ...object }";
}

}  // namespace isobox
