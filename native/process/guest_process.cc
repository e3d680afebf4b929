#include "native/process/guest_process.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace isobox {
namespace {

// What a process holds beyond what its guests may: Node itself, values that cross, what V8 takes
// before it is looked at.
constexpr uint64_t kOwnBytes = uint64_t{1} << 30U;

}  // namespace

GuestProcess::GuestProcess(PoolOptions options, SharedSegment segment, Descriptor wake)
    : options_(options),
      segment_(std::move(segment)),
      wake_(std::move(wake)),
      sender_(segment_.to_guests()),
      receiver_(segment_.to_host()) {}

std::unique_ptr<GuestProcess> GuestProcess::Launch(const Launcher& launcher, PoolOptions options) {
  auto segment = SharedSegment::Create();
  Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!segment || !wake.IsOpen()) return nullptr;
  std::unique_ptr<GuestProcess> process(
      new GuestProcess(options, std::move(*segment), std::move(wake)));
  process->handle_ = launcher(process->segment_, process->wake());
  if (!process->handle_) return nullptr;
  process->segment_.CloseDescriptor();
  process->runs_left = options.most_runs;
  process->numbers.threads = options.threads;
  process->Rest();
  process->Send(OpenFrame{options});
  return process;
}

void GuestProcess::Send(ToGuests frame) {
  sender_.Add(WriteFrame(std::move(frame)));
  Flush();
}

void GuestProcess::Flush() {
  if (sender_.IsEmpty()) return;
  while (true) {
    if (sender_.Flush()) WakeSleeper(segment_.to_guests().state->reader_sleeps);
    if (sender_.IsEmpty()) return;
    // The process wakes the host when there is room.
    sender_.ring().AnnounceSleep();
    if (!sender_.ring().HasRoom()) return;
  }
}

size_t GuestProcess::LongestFrame() const {
  constexpr uint64_t kAlways = 1U << 16U;
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  if (state == State::kStarting) return kAlways;
  uint64_t longest = 0;
  for (const auto& [id, run] : runs) {
    // Values take as much as the guest may use and their marks some more, log lines up to three
    // bytes per character.
    const uint64_t values = std::min(run->limits.memory_bytes, kMost);
    longest = std::max(longest, 2 * values + 3 * std::min(run->limits.log_chars, kMost));
  }
  return std::min(kAlways + longest, kMost);
}

bool GuestProcess::Next(std::optional<ToHost>& frame) {
  frame.reset();
  const auto bytes = receiver_.Next(LongestFrame());
  if (receiver_.ring().TakeSleeper()) {
    WakeSleeper(segment_.to_host().state->writer_sleeps);
  }
  if (!bytes) return !receiver_.IsBroken() && !sender_.ring().IsBroken();
  frame = ReadToHost(*bytes);
  return frame.has_value();
}

bool GuestProcess::Rest() {
  receiver_.ring().AnnounceSleep();
  return HasNews();
}

void GuestProcess::AddTo(PoolStats& stats) {
  const uint64_t open = runs.size();
  stats.threads += numbers.threads;
  if (state == State::kStarting) {
    stats.queued += open;
    return;
  }
  // What has ended here is not under way, whatever was last heard; what is more than may run waits.
  const uint64_t parked = std::min(numbers.parked, open);
  const uint64_t running = std::min(numbers.running, open - parked);
  const uint64_t admitted = std::min<uint64_t>(open, options_.max_running);
  stats.running += running;
  stats.parked += parked;
  stats.queued += std::max(open - admitted, std::min(numbers.queued, open - parked - running));
  stats.warm += numbers.warm;
  stats.stuck += numbers.stuck;
  if (!std::exchange(is_asked, true)) Send(AskFrame{});
}

void GuestProcess::RaiseMemoryLimit() {
  uint64_t bytes = kOwnBytes;
  for (const auto& [id, run] : runs)
    bytes += std::min(run->limits.memory_bytes, std::numeric_limits<uint64_t>::max() - bytes);
  memory_limit_ = std::max(memory_limit_, bytes);
}

void GuestProcess::Kill() {
  state = State::kEnded;
  handle_->Kill();
}

}  // namespace isobox
