#pragma once
// A stream of bytes between two processes: a ring in shared memory with one writer and one reader.
// Neither side trusts the other's half of the state: each keeps its own position for itself, and
// copies the other's before it checks it. Each end: one thread at a time.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace isobox {

// In shared memory; all zero when it is new. Each position counts all bytes since the beginning.
struct RingState {
  static constexpr size_t kLine = 64;  // of the processors' caches
  alignas(kLine) std::atomic<uint64_t> written;
  alignas(kLine) std::atomic<uint64_t> read;
  // 1 while an end sleeps, or is about to, until the other has something for it.
  alignas(kLine) std::atomic<uint32_t> reader_sleeps;
  std::atomic<uint32_t> writer_sleeps;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(std::atomic<uint32_t>::is_always_lock_free);

// What an end needs to know of its ring. The capacity is a power of two.
struct RingPlace {
  RingState* state = nullptr;
  char* bytes = nullptr;
  size_t capacity = 0;
};

class RingWriter {
 public:
  explicit RingWriter(RingPlace ring) : ring_(ring) {}

  // As many of the bytes as there is room for. Zero as well when the ring is broken.
  size_t Write(const char* bytes, size_t size);
  bool HasRoom() { return Room() > 0; }
  // The reader's position makes no sense.
  bool IsBroken() const { return is_broken_; }

  // After writing: whether the reader slept, and is to be woken. True once per sleep.
  bool TakeSleeper() const { return ring_.state->reader_sleeps.exchange(0) == 1; }
  // Says that this end is about to sleep until there is room; it then looks once more.
  std::atomic<uint32_t>& AnnounceSleep() const {
    ring_.state->writer_sleeps.store(1);
    return ring_.state->writer_sleeps;
  }

 private:
  size_t Room();

  const RingPlace ring_;
  uint64_t written_ = 0;
  bool is_broken_ = false;
};

class RingReader {
 public:
  explicit RingReader(RingPlace ring) : ring_(ring) {}

  // As many bytes as there are, at most `size`. Zero as well when the ring is broken.
  size_t Read(char* out, size_t size);
  // How many could be read now.
  size_t Available();
  // The writer's position makes no sense.
  bool IsBroken() const { return is_broken_; }

  // As RingWriter's.
  bool TakeSleeper() const { return ring_.state->writer_sleeps.exchange(0) == 1; }
  std::atomic<uint32_t>& AnnounceSleep() const {
    ring_.state->reader_sleeps.store(1);
    return ring_.state->reader_sleeps;
  }

 private:
  const RingPlace ring_;
  uint64_t read_ = 0;
  bool is_broken_ = false;
};

// Sleeps while the word is 1, for at most `us` microseconds. May return early.
void SleepOn(std::atomic<uint32_t>& word, uint64_t us);
// Wakes who sleeps on the word, in any process.
void WakeSleeper(std::atomic<uint32_t>& word);

}  // namespace isobox
