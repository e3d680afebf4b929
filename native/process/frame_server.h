#pragma once
// The far side of a host: in a guest process, reads the host's frames and hands them to an ordinary
// pool, and writes what the pool tells its host as frames.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/core/pool.h"
#include "native/process/frame_stream.h"
#include "native/process/frames.h"
#include "native/process/shared_segment.h"

namespace isobox {

class FrameChannel;

class FrameServer {
 public:
  // `wake` is the host's eventfd.
  FrameServer(SharedSegment segment, Descriptor wake);
  FrameServer(const FrameServer&) = delete;
  FrameServer& operator=(const FrameServer&) = delete;
  ~FrameServer();

  // Makes the pool that the host's first frame describes and serves it until Stop, or until the
  // stream makes no sense. `lock` runs once, before the pool has its threads,
  // and says what it did, for the host. One thread.
  void Serve(const GuestFactory& factory, const std::function<std::vector<std::string>()>& lock);

  // Ends Serve and closes the pool. Any thread.
  void Stop();

 private:
  void Handle(ToGuests frame);
  // The next frame; sleeps until there is one. Empty when there will be none.
  std::optional<ToGuests> Next();
  // Tells the host of threads that are stuck, since it may replace this process.
  void ReportStuck();
  NumbersFrame Numbers();

  SharedSegment segment_;
  FrameReceiver receiver_;
  std::shared_ptr<FrameChannel> channel_;  // shared with the pool, whose threads post to it
  std::shared_ptr<Pool> pool_;             // shared with its threads
  size_t reported_stuck_ = 0;
  size_t started_ = 0;
  std::chrono::steady_clock::time_point busy_until_;
};

}  // namespace isobox
