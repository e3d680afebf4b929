#pragma once
// Values to bytes and back, in the realm of the calling thread's current context. The same code
// serves guests and hosts. Bytes only travel inside one process, but the decoder trusts none of
// their lengths.

#include <memory>
#include <string>

#include "native/core/run_types.h"
#include "v8.h"

namespace isobox {

// How much of a value its receiver takes at a time, in JSON text and in time.
struct PieceSize {
  size_t bytes = SIZE_MAX;
  uint64_t ns = kUnlimited;
};

struct CodecLimits {
  uint64_t max_bytes = kUnlimited;
  uint32_t max_depth = 1000;
  uint64_t max_objects = UINT64_MAX;
  ValueCost max_cost{.bytes = kUnlimited, .ns = kUnlimited};
  PieceSize piece;
};

enum class EncodeStatus : uint8_t {
  kOk,
  kNotTransferable,  // `message` says what and where
  kTooLarge,
  kTooDeep,
  kThrew,  // an exception is pending: a getter threw, or the run was stopped
};

struct EncodeResult {
  EncodeStatus status = EncodeStatus::kOk;
  std::string message;
  bool ok() const { return status == EncodeStatus::kOk; }
};

// How functions cross under the clone profile: the sender turns them into slots, the receiver turns
// slots into callable proxies.
class FunctionPort {
 public:
  enum class Kind : uint8_t { kFunction, kPromise };

  FunctionPort() = default;
  FunctionPort(const FunctionPort&) = delete;
  FunctionPort& operator=(const FunctionPort&) = delete;
  virtual ~FunctionPort() = default;

  // False when no more can be handed out.
  virtual bool Export(v8::Local<v8::Object> callable, Kind kind, FunctionSlot& slot) = 0;
  // Whether promises inside a value may cross (from host to guest).
  virtual bool ExportsPromises() const = 0;
  virtual v8::MaybeLocal<v8::Value> Import(FunctionSlot slot, Kind kind) = 0;
};

// For values in which functions have no place.
class NoFunctions final : public FunctionPort {
 public:
  bool Export(v8::Local<v8::Object> /*callable*/, Kind /*kind*/, FunctionSlot& /*slot*/) override {
    return false;
  }
  bool ExportsPromises() const override { return false; }
  v8::MaybeLocal<v8::Value> Import(FunctionSlot /*slot*/, Kind /*kind*/) override { return {}; }
};

// Memory for the ArrayBuffers of decoded values.
class BufferSource {
 public:
  BufferSource() = default;
  BufferSource(const BufferSource&) = delete;
  BufferSource& operator=(const BufferSource&) = delete;
  virtual ~BufferSource() = default;
  // Null when there is no room.
  virtual std::unique_ptr<v8::BackingStore> Allocate(size_t bytes) = 0;
};

// Counts memory that strings of decoded values keep outside V8's heap. Isolate's thread.
class MemoryAccount {
 public:
  MemoryAccount() = default;
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;
  virtual ~MemoryAccount() = default;
  virtual void ReportNative(int64_t change) = 0;
};

// Encodes one value. Getters run here, once each, in the value's own realm. `stop` ends long
// encodings early.
EncodeResult EncodeJson(v8::Local<v8::Context> context, v8::Local<v8::Value> value,
                        const CodecLimits& limits, const StopLatch* stop, Payload& out);
EncodeResult EncodeClone(v8::Local<v8::Context> context, v8::Local<v8::Value> value,
                         const CodecLimits& limits, const StopLatch* stop, FunctionPort& port,
                         Payload& out);

// Empty with a pending exception, or when the bytes are not what the encoder makes.
// A long string keeps the payload's own bytes and has `account` count them, or V8 where it is null.
v8::MaybeLocal<v8::Value> DecodeJson(v8::Local<v8::Context> context, Payload&& payload,
                                     const std::shared_ptr<MemoryAccount>& account);
v8::MaybeLocal<v8::Value> DecodeClone(v8::Local<v8::Context> context, Payload&& payload,
                                      FunctionPort& port, BufferSource& buffers);

// Rebuilds one value in steps of about a millisecond, between which its thread may do other things.
// Isolate's thread, in the receiving realm.
class ValueReader {
 public:
  enum class Progress : uint8_t { kMore, kDone, kFailed };

  ValueReader() = default;
  ValueReader(const ValueReader&) = delete;
  ValueReader& operator=(const ValueReader&) = delete;
  virtual ~ValueReader() = default;

  virtual Progress Step(v8::Local<v8::Context> context, FunctionPort& port,
                        BufferSource& buffers) = 0;
  // After kDone.
  virtual v8::Local<v8::Value> Result() = 0;
};

// For a payload with marks. `append`, if there is one, adds the children of its second argument to
// its first, both arrays or both objects; arrays from the index that is the third on.
std::unique_ptr<ValueReader> ReadMarkedJson(Payload&& payload,
                                            std::shared_ptr<MemoryAccount> account,
                                            v8::Local<v8::Function> append);
std::unique_ptr<ValueReader> ReadClone(Payload&& payload);

}  // namespace isobox
