#include "native/process/process_pool.h"

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

#include "native/process/frame_server.h"
#include "test/native/fake_guest.h"

namespace isobox {
namespace {

using std::chrono::milliseconds;
using test::EventKind;

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
  void Kill() override {
    if (server_) return server_->Stop();
    Exit();
  }

 private:
  void Exit() {
    const uint64_t one = 1;
    EXPECT_EQ(write(exit_.number(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }

  const Descriptor exit_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::unique_ptr<FrameServer> server_;
  std::thread thread_;
};

class ProcessPoolTest : public testing::Test {
 protected:
  // Also checks that every run has its one outcome and no process is left.
  void TearDown() override {
    if (!pool_) return;
    pool_->Close();
    EXPECT_TRUE(pool_->WaitUntilClosed(test::kPatience));
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

  void Start(RunId run, test::Script script, RunLimits limits = {}) {
    book_->Set(run, std::move(script));
    started_ += 1;
    pool_->Start(test::Request(run, limits));
  }

  // Attends as the loop would.
  bool Until(const std::function<bool()>& condition, milliseconds patience = test::kPatience) {
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
      auto found = channel_->WaitForOutcome(run, milliseconds(0));
      if (found) outcome = *std::move(found);
      return found.has_value();
    });
  }

  const std::shared_ptr<test::ScriptBook> book_ = std::make_shared<test::ScriptBook>();
  const std::shared_ptr<test::RecordingChannel> channel_ =
      std::make_shared<test::RecordingChannel>();
  std::unique_ptr<ProcessPool> pool_;
  size_t started_ = 0;
  size_t launched_ = 0;
  ThreadProcess* last_ = nullptr;
};

TEST_F(ProcessPoolTest, AnswersARunThatFinishes) {
  Open({});
  Start(1, test::Finishes("42"));
  RunOutcome outcome;
  ASSERT_TRUE(OutcomeOf(1, outcome));
  EXPECT_EQ(outcome.cause, StopCause::kFinished);
  EXPECT_EQ(outcome.value.bytes, "42");
  EXPECT_EQ(pool_->locks(), std::vector<std::string>{"tested"});
}

TEST_F(ProcessPoolTest, CarriesCallsAndTheirReplies) {
  Open({});
  Start(1, [](test::GuestTurn& turn) -> std::optional<GuestResult> {
    if (turn.messages.empty()) {
      CallId call = 0;
      turn.ledger.StartCall(5, {"arguments"}, call);
      return std::nullopt;
    }
    auto& reply = std::get<ReplyMessage>(turn.messages.front());
    turn.ledger.EndCall(reply.call, reply.ok, reply.value.size());
    return test::Finished(reply.value.bytes);
  });
  ASSERT_TRUE(Until([&] { return channel_->Count(EventKind::kCall) == 1; }));
  pool_->Post(1, test::Reply("answer"));
  RunOutcome outcome;
  ASSERT_TRUE(OutcomeOf(1, outcome));
  EXPECT_EQ(outcome.value.bytes, "answer");
  EXPECT_EQ(outcome.facts.calls, 1U);
  ASSERT_EQ(outcome.facts.call_facts.size(), 1U);
  EXPECT_TRUE(outcome.facts.call_facts.front().settled);
  EXPECT_EQ(outcome.facts.call_facts.front().bytes_in, 6U);
}

TEST_F(ProcessPoolTest, CarriesValuesLongerThanItsRings) {
  Open({});
  const std::string text(5 * SharedSegment::kRingBytes, 'x');
  Start(1, test::ParksUntilReplied());
  pool_->Post(1, test::Reply(text));
  RunOutcome outcome;
  ASSERT_TRUE(OutcomeOf(1, outcome));
  EXPECT_EQ(outcome.value.bytes, text);
}

TEST_F(ProcessPoolTest, StopsARunInItsProcess) {
  Open({});
  Start(1, test::RunsUntilInterrupted());
  Start(2, test::Parks());
  ASSERT_TRUE(Until([&] { return pool_->Stats().parked == 1; }));
  pool_->Stop(1, StopCause::kTerminated, "enough");
  pool_->Stop(2, StopCause::kTerminated, "enough");
  RunOutcome outcome;
  ASSERT_TRUE(OutcomeOf(1, outcome));
  EXPECT_EQ(outcome.cause, StopCause::kTerminated);
  EXPECT_EQ(outcome.reason, "enough");
  EXPECT_EQ(CauseOf(2), StopCause::kTerminated);
}

TEST_F(ProcessPoolTest, AnswersEveryRunOfAProcessThatEnds) {
  Open({});
  Start(1, test::Parks());
  ASSERT_TRUE(Until([&] { return pool_->Stats().parked == 1; }));
  last_->Kill();
  EXPECT_EQ(CauseOf(1), StopCause::kCrashed);
  Start(2, test::Finishes("again"));
  EXPECT_EQ(CauseOf(2), StopCause::kFinished);
  EXPECT_EQ(launched_, 2U);
}

TEST_F(ProcessPoolTest, LeavesOtherProcessesAlone) {
  Open({.processes = 2});
  ThreadProcess* const second = last_;
  Start(1, test::Parks());
  Start(2, test::Parks());
  ASSERT_TRUE(Until([&] { return pool_->Stats().parked == 2; }));
  second->Kill();
  ASSERT_TRUE(Until([&] { return channel_->Count(EventKind::kOutcome) == 1; }));
  Start(3, test::Finishes("3"));
  EXPECT_EQ(CauseOf(3), StopCause::kFinished);
  EXPECT_EQ(channel_->Count(EventKind::kOutcome), 2U);
}

TEST_F(ProcessPoolTest, RefusesWhatIsMoreThanItsQueueHolds) {
  ProcessPoolOptions options;
  options.pool.max_running = 1;
  options.pool.max_queued = 1;
  Open(options);
  Start(1, test::Parks());
  Start(2, test::Parks());
  Start(3, test::Parks());
  EXPECT_EQ(CauseOf(3), StopCause::kQueueFull);
}

TEST_F(ProcessPoolTest, SaysWhenTheSystemHasNoRoom) {
  Open({}, [](const SharedSegment& /*segment*/, int /*wake*/) { return nullptr; });
  Start(1, test::Parks());
  EXPECT_EQ(CauseOf(1), StopCause::kExhausted);
}

TEST_F(ProcessPoolTest, AnswersPrewarmRequestsOfAllProcesses) {
  Open({.processes = 2});
  pool_->Prewarm(9, 3);
  ASSERT_TRUE(Until([&] { return channel_->Count(EventKind::kWarm) == 1; }));
  EXPECT_EQ(book_->made_ahead, 4);
}

// From here on: processes that do not do what they should.

ProcessPoolOptions Hasty() {
  return {
      .ready_patience = milliseconds(30), .grace = milliseconds(20), .silence = milliseconds(30)};
}

TEST_F(ProcessPoolTest, HoldsADeadlineWithoutAProcessThatNeverGetsReady) {
  ProcessPoolOptions options = Hasty();
  options.ready_patience = test::kPatience;
  options.start_patience = milliseconds(30);
  OpenWith(options, [](const SharedSegment& /*segment*/, int /*wake*/) {});
  Start(1, {}, {.wall_us = 1000});
  EXPECT_EQ(CauseOf(1), StopCause::kDeadline);
}

TEST_F(ProcessPoolTest, GivesUpAProcessThatNeverGetsReady) {
  OpenWith(Hasty(), [](const SharedSegment& /*segment*/, int /*wake*/) {});
  Start(1, {});
  EXPECT_EQ(CauseOf(1), StopCause::kCrashed);
}

void Say(const SharedSegment& segment, int wake, const std::string& bytes) {
  RingWriter writer(segment.to_host());
  EXPECT_EQ(writer.Write(bytes.data(), bytes.size()), bytes.size());
  const uint64_t one = 1;
  EXPECT_EQ(write(wake, &one, sizeof one), static_cast<ssize_t>(sizeof one));
}

const std::string kReady = WriteFrame(ToHost(ReadyFrame{}));

TEST_F(ProcessPoolTest, HoldsADeadlineWithoutTheProcess) {
  OpenWith(Hasty(), [](const auto& segment, int wake) { Say(segment, wake, kReady); });
  ASSERT_TRUE(Until([&] { return pool_->Stats().threads > 0; }));
  Start(1, {}, {.wall_us = 1000});
  Start(2, {});
  EXPECT_EQ(CauseOf(1), StopCause::kDeadline);
  // It was silent for too long after that: whoever else it has is not left waiting.
  EXPECT_EQ(CauseOf(2), StopCause::kCrashed);
}

TEST_F(ProcessPoolTest, EndsARunWithoutTheProcess) {
  OpenWith(Hasty(), [](const auto& segment, int wake) { Say(segment, wake, kReady); });
  ASSERT_TRUE(Until([&] { return pool_->Stats().threads > 0; }));
  Start(1, {});
  pool_->Stop(1, StopCause::kTerminated, "enough");
  EXPECT_EQ(CauseOf(1), StopCause::kTerminated);
}

TEST_F(ProcessPoolTest, RemembersThatARunWasStoppedWhenItsProcessIsGone) {
  OpenWith({}, [](const auto& segment, int wake) { Say(segment, wake, kReady); });
  ASSERT_TRUE(Until([&] { return pool_->Stats().threads > 0; }));
  Start(1, {});
  Start(2, {});
  pool_->Stop(1, StopCause::kTerminated, "enough");
  pool_->Close();
  EXPECT_EQ(CauseOf(1), StopCause::kTerminated);
  EXPECT_EQ(CauseOf(2), StopCause::kDisposed);
}

// What a process cannot have to say: it is ended, and its runs with it.
class Lies : public ProcessPoolTest, public testing::WithParamInterface<std::string> {};

TEST_P(Lies, EndTheProcess) {
  const std::string lie = GetParam();
  OpenWith({}, [lie](const auto& segment, int wake) { Say(segment, wake, lie); });
  Start(1, {}, {.calls = 1, .result_bytes = 1000});
  EXPECT_EQ(CauseOf(1), StopCause::kCrashed);
}

std::string Frame(ToHost frame) { return WriteFrame(std::move(frame)); }

INSTANTIATE_TEST_SUITE_P(
    ProcessPool, Lies,
    testing::Values(std::string("\0\0\0\0", 4), std::string("\xff\xff\xff\xff", 4),
                    std::string("\1\0\0\0\x7f", 5), kReady + kReady, Frame(WarmFrame{1}),
                    Frame(OutcomeFrame{1, {}}),           // before it is ready
                    kReady + Frame(OutcomeFrame{1, {}}),  // no cause
                    kReady + Frame(OutcomeFrame{2, {.cause = StopCause::kFinished}}),
                    kReady +
                        Frame(OutcomeFrame{
                            1, {.cause = StopCause::kFinished, .value = {std::string(2000, 'x')}}}),
                    kReady + Frame(CallEvent{2, 1, 0, {}}),  // of another run
                    kReady + Frame(CallEvent{1, 2, 0, {}}),  // out of order
                    kReady + Frame(CallEvent{1, 1, 0, {}}) + Frame(CallEvent{1, 2, 0, {}}),
                    kReady + Frame(InvokedEvent{1, 1, true, {}, {}}),  // that nobody asked for
                    kReady + Frame(LogFrame{3, {}}), kReady + Frame(WarmFrame{1}),
                    Frame(ReadyFrame{std::vector<std::string>(100, "lock")})));

TEST_F(ProcessPoolTest, BelievesNoPositionThatCannotBe) {
  OpenWith({}, [](const SharedSegment& segment, int wake) {
    segment.to_host().state->written = SharedSegment::kRingBytes + 1;
    const uint64_t one = 1;
    EXPECT_EQ(write(wake, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  });
  Start(1, {});
  EXPECT_EQ(CauseOf(1), StopCause::kCrashed);
}

}  // namespace
}  // namespace isobox
