#include "native/process/ring.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

namespace isobox {

size_t RingWriter::Room() {
  if (is_broken_) return 0;
  const uint64_t unread = written_ - ring_.state->read.load();
  is_broken_ = unread > ring_.capacity;
  return is_broken_ ? 0 : ring_.capacity - unread;
}

size_t RingWriter::Write(const char* bytes, size_t size) {
  const size_t count = std::min(size, Room());
  if (count == 0) return 0;
  const size_t start = written_ & (ring_.capacity - 1);
  const size_t until_end = std::min(count, ring_.capacity - start);
  std::memcpy(ring_.bytes + start, bytes, until_end);
  std::memcpy(ring_.bytes, bytes + until_end, count - until_end);
  written_ += count;
  // Sequentially consistent, as is the sleeper's flag: either the reader sees these bytes before it
  // sleeps, or the writer sees that it sleeps.
  ring_.state->written.store(written_);
  return count;
}

size_t RingReader::Available() {
  if (is_broken_) return 0;
  const uint64_t unread = ring_.state->written.load() - read_;
  is_broken_ = unread > ring_.capacity;
  return is_broken_ ? 0 : unread;
}

size_t RingReader::Read(char* out, size_t size) {
  const size_t count = std::min(size, Available());
  if (count == 0) return 0;
  const size_t start = read_ & (ring_.capacity - 1);
  const size_t until_end = std::min(count, ring_.capacity - start);
  std::memcpy(out, ring_.bytes + start, until_end);
  std::memcpy(out + until_end, ring_.bytes, count - until_end);
  read_ += count;
  ring_.state->read.store(read_);
  return count;
}

void SleepOn(std::atomic<uint32_t>& word, uint64_t us) {
  constexpr uint64_t kMicros = 1'000'000;
  constexpr uint64_t kNanosPerMicro = 1000;
  const timespec patience{static_cast<time_t>(us / kMicros),
                          static_cast<long>(us % kMicros * kNanosPerMicro)};
  syscall(SYS_futex, &word, FUTEX_WAIT, 1, &patience, nullptr, 0);
}

void WakeSleeper(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace isobox
