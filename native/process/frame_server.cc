#include "native/process/frame_server.h"

#include <unistd.h>

#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include "native/core/guarded.h"

namespace isobox {
namespace {

using Clock = std::chrono::steady_clock;

// Between two looks at what no frame tells of: while there are runs, and when there have been none
// for a while.
constexpr uint64_t kLookUs = 250'000;
constexpr uint64_t kIdleLookUs = 60'000'000;
constexpr std::chrono::seconds kIdle{2};
// How long to look for the next frame before sleeping: waking takes longer.
constexpr std::chrono::microseconds kLinger{40};

}  // namespace

// Writes a pool's events as frames. Waits for room, since the host always reads on. Any thread.
class FrameChannel final : public HostChannel {
 public:
  FrameChannel(RingPlace ring, Descriptor wake)
      : wake_(std::move(wake)), sender_(std::in_place, ring) {}

  void PostCall(CallEvent event) override { Post(std::move(event)); }
  void PostInvoked(InvokedEvent event) override { Post(std::move(event)); }
  void PostLog(RunId run, LogEntry entry) override { Post(LogFrame{run, std::move(entry)}); }
  void PostOutcome(RunId run, RunOutcome outcome) override {
    outcomes_ += 1;
    Post(OutcomeFrame{run, std::move(outcome)});
  }
  size_t outcomes() const { return outcomes_; }
  void PostWarm(uint64_t request) override { Post(WarmFrame{request}); }
  // The host ends this process; it does not ask its pool to close.
  void PostClosed() override {}

  void Post(ToHost frame) {
    std::string bytes = WriteFrame(std::move(frame));
    auto sender = sender_.Lock();
    sender->Add(std::move(bytes));
    while (!is_shut_) {
      if (sender->Flush()) WakeHost();
      if (sender->IsEmpty()) return;
      std::atomic<uint32_t>& sleeps = sender->ring().AnnounceSleep();
      if (!sender->ring().HasRoom()) SleepOn(sleeps, kLookUs);
    }
  }

  // What is posted from here on goes nowhere.
  void Shut() { is_shut_ = true; }
  bool IsShut() const { return is_shut_; }
  // Returns when nobody touches the ring any more.
  void WaitUntilShut() {
    Shut();
    static_cast<void>(sender_.Lock());
  }

  void WakeHost() const {
    const uint64_t one = 1;
    static_cast<void>(write(wake_.number(), &one, sizeof one));
  }

 private:
  const Descriptor wake_;
  std::atomic<bool> is_shut_{false};
  std::atomic<size_t> outcomes_{0};
  Guarded<FrameSender> sender_;
};

FrameServer::FrameServer(SharedSegment segment, Descriptor wake)
    : segment_(std::move(segment)),
      receiver_(segment_.to_guests()),
      channel_(std::make_shared<FrameChannel>(segment_.to_host(), std::move(wake))) {
  segment_.CloseDescriptor();
}

// Threads that never come back keep the channel.
FrameServer::~FrameServer() { channel_->WaitUntilShut(); }

std::optional<ToGuests> FrameServer::Next() {
  auto awake_until = Clock::now() + kLinger;
  while (!channel_->IsShut()) {
    const auto bytes = receiver_.Next(std::numeric_limits<size_t>::max());
    if (receiver_.ring().TakeSleeper()) channel_->WakeHost();
    if (bytes) return ReadToGuests(*bytes);
    if (receiver_.IsBroken()) return std::nullopt;
    if (Clock::now() < awake_until) {
      std::this_thread::yield();
      continue;
    }
    std::atomic<uint32_t>& sleeps = receiver_.ring().AnnounceSleep();
    if (receiver_.ring().Available() > 0) continue;
    const auto now = Clock::now();
    if (started_ > channel_->outcomes()) busy_until_ = now + kIdle;
    SleepOn(sleeps, now < busy_until_ ? kLookUs : kIdleLookUs);
    ReportStuck();
    awake_until = Clock::now() + kLinger;
  }
  return std::nullopt;
}

void FrameServer::Serve(const GuestFactory& factory,
                        const std::function<std::vector<std::string>()>& lock) {
  const auto opening = Next();
  const auto* const open = opening ? std::get_if<OpenFrame>(&*opening) : nullptr;
  if (open == nullptr) return;
  auto locks = lock();
  pool_ = Pool::Create(open->options, factory, channel_);
  channel_->Post(ReadyFrame{std::move(locks)});
  while (auto frame = Next())
    Handle(*std::move(frame));
  pool_->Close();
}

void FrameServer::Stop() {
  channel_->Shut();
  WakeSleeper(receiver_.ring().AnnounceSleep());
}

void FrameServer::Handle(ToGuests frame) {
  if (auto* const start = std::get_if<StartFrame>(&frame)) {
    started_ += 1;
    pool_->Start(std::move(start->request));
  } else if (auto* const reply = std::get_if<ReplyFrame>(&frame)) {
    pool_->Post(reply->run, std::move(reply->reply));
  } else if (auto* const invoke = std::get_if<InvokeFrame>(&frame)) {
    pool_->Post(invoke->run, std::move(invoke->message));
  } else if (auto* const stop = std::get_if<StopFrame>(&frame)) {
    pool_->Stop(stop->run, stop->cause, std::move(stop->reason));
  } else if (const auto* const prewarm = std::get_if<PrewarmFrame>(&frame)) {
    pool_->Prewarm(prewarm->request, prewarm->count);
  } else if (std::holds_alternative<AskFrame>(frame)) {
    channel_->Post(Numbers());
  }
}

void FrameServer::ReportStuck() {
  if (!pool_) return;
  const NumbersFrame numbers = Numbers();
  if (std::exchange(reported_stuck_, numbers.stuck) != numbers.stuck) channel_->Post(numbers);
}

NumbersFrame FrameServer::Numbers() {
  const PoolStats stats = pool_->Stats();
  return {stats.threads, stats.running, stats.parked, stats.queued, stats.warm, stats.stuck};
}

}  // namespace isobox
