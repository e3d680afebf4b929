#pragma once
// The memory that a host and one guest process share: a ring each way. It has no name in any file
// system and goes with the last process that has it. Its size is sealed: nobody can take away pages
// that the other is about to touch. One thread.

#include <cstddef>
#include <optional>
#include <utility>

#include "native/process/ring.h"

namespace isobox {

// An open descriptor, closed when this ends.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  int number() const { return number_; }
  bool IsOpen() const { return number_ >= 0; }
  // It is somebody else's to close.
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

class SharedSegment {
 public:
  // Of each ring.
  static constexpr size_t kRingBytes = size_t{1} << 19U;

  // Empty when the system refuses.
  static std::optional<SharedSegment> Create();
  // The one that another process made; takes over the descriptor.
  static std::optional<SharedSegment> Adopt(int descriptor);

  SharedSegment(SharedSegment&& other) noexcept
      : memory_(std::move(other.memory_)), start_(std::exchange(other.start_, nullptr)) {}
  SharedSegment& operator=(SharedSegment&&) = delete;
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;
  ~SharedSegment();

  RingPlace to_guests() const { return PlaceAt(0); }
  RingPlace to_host() const { return PlaceAt(1); }
  int descriptor() const { return memory_.number(); }
  // The mapping stays.
  void CloseDescriptor() { memory_ = Descriptor(); }

 private:
  SharedSegment(Descriptor memory, char* start) : memory_(std::move(memory)), start_(start) {}
  RingPlace PlaceAt(size_t index) const;

  Descriptor memory_;
  char* start_ = nullptr;
};

}  // namespace isobox
