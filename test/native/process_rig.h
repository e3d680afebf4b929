#pragma once
// Threads that stand in for guest processes, and a pool of them that a test attends to. No V8.

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "native/process/frame_server.h"
#include "native/process/process_pool.h"
#include "test/native/fake_guest.h"

namespace isobox::test {

// What a process does instead of serving frames.
using Impostor = std::function<void(const SharedSegment& segment, int wake)>;

// A thread that stands in for a process: it shares nothing with the host but what a process would.
class ThreadProcess final : public ProcessHandle {
 public:
  ThreadProcess(const SharedSegment& segment, int wake, const GuestFactory& factory)
      : server_(std::make_unique<FrameServer>(*SharedSegment::Adopt(dup(segment.descriptor())),
                                              Descriptor(dup(wake)))) {
    thread_ = std::thread([this, factory] {
      server_->Serve(factory, [] { return std::vector<std::string>{"tested"}; });
      Exit();
    });
  }
  ThreadProcess(const SharedSegment& segment, int wake, const Impostor& impostor) {
    impostor(segment, wake);
  }
  ~ThreadProcess() override {
    Kill();
    if (thread_.joinable()) thread_.join();
  }

  int descriptor() const override { return exit_.number(); }
  bool HasEnded() override {
    pollfd exit{exit_.number(), POLLIN, 0};
    return poll(&exit, 1, 0) > 0;
  }
  void Kill() override {
    if (server_) return server_->Stop();
    Exit();
  }
  uint64_t MemoryInUse() override { return memory; }

  uint64_t memory = 0;

 private:
  void Exit() {
    const uint64_t one = 1;
    EXPECT_EQ(write(exit_.number(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }

  const Descriptor exit_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::unique_ptr<FrameServer> server_;
  std::thread thread_;
};

class ProcessPoolTest : public ::testing::Test {
 protected:
  // Also checks that every run has its one outcome and no process is left.
  void TearDown() override {
    if (!pool_) return;
    pool_->Close();
    EXPECT_TRUE(pool_->WaitUntilClosed(kPatience));
    EXPECT_EQ(pool_->processes(), 0U);
    EXPECT_EQ(channel_->Count(EventKind::kOutcome), started_);
    EXPECT_EQ(channel_->Count(EventKind::kClosed), 1U);
    EXPECT_EQ(channel_->LateEvents(), 0U);
    pool_.reset();
    EXPECT_EQ(book_->violations, 0);
  }

  ProcessPool& Open(ProcessPoolOptions options) {
    return Open(options, [this](const SharedSegment& segment, int wake) {
      launched_ += 1;
      last_ = nullptr;
      auto process = std::make_unique<ThreadProcess>(segment, wake, book_->Factory());
      last_ = process.get();
      return process;
    });
  }
  ProcessPool& Open(ProcessPoolOptions options, Launcher launcher) {
    options.pool.warm_target = 0;
    pool_ = std::make_unique<ProcessPool>(options, std::move(launcher), channel_);
    return *pool_;
  }
  // A pool whose one process says what `impostor` writes.
  ProcessPool& OpenWith(ProcessPoolOptions options, Impostor impostor) {
    return Open(options, [this, impostor](const SharedSegment& segment, int wake) {
      launched_ += 1;
      return std::make_unique<ThreadProcess>(segment, wake, impostor);
    });
  }

  void Start(RunId run, Script script, RunLimits limits = {}) {
    book_->Set(run, std::move(script));
    started_ += 1;
    pool_->Start(Request(run, limits));
  }

  // Attends as the loop would.
  bool Until(const std::function<bool()>& condition,
             std::chrono::milliseconds patience = kPatience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      if (!pool_->Rest()) {
        pollfd ready{pool_->descriptor(), POLLIN, 0};
        poll(&ready, 1, 10);
      }
      pool_->Attend();
    }
    return true;
  }
  StopCause CauseOf(RunId run) {
    RunOutcome outcome;
    return OutcomeOf(run, outcome) ? outcome.cause : StopCause::kNone;
  }
  bool OutcomeOf(RunId run, RunOutcome& outcome) {
    return Until([&] {
      auto found = channel_->WaitForOutcome(run, std::chrono::milliseconds(0));
      if (found) outcome = *std::move(found);
      return found.has_value();
    });
  }

  const std::shared_ptr<ScriptBook> book_ = std::make_shared<ScriptBook>();
  const std::shared_ptr<RecordingChannel> channel_ = std::make_shared<RecordingChannel>();
  std::unique_ptr<ProcessPool> pool_;
  size_t started_ = 0;
  size_t launched_ = 0;
  ThreadProcess* last_ = nullptr;
};

inline void Say(const SharedSegment& segment, int wake, const std::string& bytes) {
  RingWriter writer(segment.to_host());
  EXPECT_EQ(writer.Write(bytes.data(), bytes.size()), bytes.size());
  const uint64_t one = 1;
  EXPECT_EQ(write(wake, &one, sizeof one), static_cast<ssize_t>(sizeof one));
}

}  // namespace isobox::test
