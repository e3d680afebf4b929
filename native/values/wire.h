#pragma once
// The byte format of the clone profile: a tag, then what the tag says. Shared by encoder and
// decoder.

#include <cstdint>

namespace isobox::wire {

enum class Tag : uint8_t {
  kUndefined = 'u',
  kNull = 'n',
  kTrue = 't',
  kFalse = 'f',
  kInt32 = 'i',          // zigzag varint
  kDouble = 'd',         // 8 bytes
  kBigInt = 'z',         // sign byte, varint words, 8 bytes each
  kOneByteString = 's',  // varint length, bytes
  kTwoByteString = 'w',  // varint length, 2 bytes each
  kObject = 'o',         // key, value, ..., kEnd
  kArray = 'a',          // varint length, values, kHole for holes
  kSparseArray = 'A',    // varint length, then varint index and value behind kInt32, ..., kEnd
  kMap = 'm',            // key, value, ..., kEnd
  kSet = 'e',            // value, ..., kEnd
  kDate = 'D',           // 8 bytes
  kRegExp = 'R',         // varint flags, source string
  kArrayBuffer = 'B',    // varint length, bytes
  kView = 'v',           // ViewType byte, varint byte length, bytes
  kReference = 'r',      // varint: the n-th object of this value
  kFunction = 'F',       // varint slot
  kPromise = 'P',        // varint slot
  kHole = 'h',
  kEnd = '.',
};

enum class ViewType : uint8_t {
  kInt8,
  kUint8,
  kUint8Clamped,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kFloat32,
  kFloat64,
  kBigInt64,
  kBigUint64,
  kDataView,
  kFloat16,
};

}  // namespace isobox::wire
