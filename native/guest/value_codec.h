#pragma once
// Values to bytes and back, in the realm of the calling thread's current context. The same code
// serves guests and hosts. Bytes only travel inside one process, but the decoder trusts none of
// their lengths.

#include <memory>
#include <string>

#include "native/core/run_types.h"
#include "native/guest/memory_meter.h"
#include "v8.h"

namespace isobox {

struct CodecLimits {
  uint64_t max_bytes = kUnlimited;
  uint32_t max_depth = 1000;
  uint64_t max_objects = UINT64_MAX;  // what decoding costs is mostly this
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

// Encodes one value. Getters run here, once each, in the value's own realm. `stop` ends long
// encodings early.
EncodeResult EncodeJson(v8::Local<v8::Context> context, v8::Local<v8::Value> value,
                        const CodecLimits& limits, const StopLatch* stop, Payload& out);
EncodeResult EncodeClone(v8::Local<v8::Context> context, v8::Local<v8::Value> value,
                         const CodecLimits& limits, const StopLatch* stop, FunctionPort& port,
                         Payload& out);

// Empty with a pending exception, or when the bytes are not what the encoder makes.
// A long string keeps the payload's own bytes and has `meter` count them; may be null.
v8::MaybeLocal<v8::Value> DecodeJson(v8::Local<v8::Context> context, Payload&& payload,
                                     const std::shared_ptr<MemoryMeter>& meter);
v8::MaybeLocal<v8::Value> DecodeClone(v8::Local<v8::Context> context, const Payload& payload,
                                      FunctionPort& port, BufferSource& buffers);

}  // namespace isobox
