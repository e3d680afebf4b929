#include "native/guest/encode_support.h"

namespace isobox {

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
