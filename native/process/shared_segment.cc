#include "native/process/shared_segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

namespace isobox {
namespace {

// Before the bytes of both rings: their states, on a page of their own.
struct States {
  std::array<RingState, 2> rings;
};
constexpr size_t kStatesBytes = 4096;
static_assert(sizeof(States) <= kStatesBytes);
constexpr size_t kAllBytes = kStatesBytes + 2 * SharedSegment::kRingBytes;

char* Map(int descriptor) {
  void* const start = mmap(nullptr, kAllBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return start == MAP_FAILED ? nullptr : static_cast<char*>(start);
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

std::optional<SharedSegment> SharedSegment::Create() {
  Descriptor memory(memfd_create("isobox", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.IsOpen() || ftruncate(memory.number(), kAllBytes) != 0 ||
      fcntl(memory.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return std::nullopt;
  }
  char* const start = Map(memory.number());
  if (start == nullptr) return std::nullopt;
  return SharedSegment(std::move(memory), start);
}

std::optional<SharedSegment> SharedSegment::Adopt(int descriptor) {
  Descriptor memory(descriptor);
  char* const start = Map(descriptor);
  if (start == nullptr) return std::nullopt;
  return SharedSegment(std::move(memory), start);
}

SharedSegment::~SharedSegment() {
  if (start_ != nullptr) munmap(start_, kAllBytes);
}

RingPlace SharedSegment::PlaceAt(size_t index) const {
  auto* const states = reinterpret_cast<States*>(start_);
  return {&states->rings.at(index), start_ + kStatesBytes + index * kRingBytes, kRingBytes};
}

}  // namespace isobox
