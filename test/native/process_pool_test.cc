#include "native/process/process_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "test/native/process_rig.h"

namespace isobox {
namespace {

using std::chrono::milliseconds;
using test::EventKind;
using test::ProcessPoolTest;
using test::Say;
using test::ThreadProcess;

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
  ASSERT_TRUE(Until([&] { return pool_->Stats().parked == 1; }));
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
  return {.ready_patience = milliseconds(30),
          .grace = milliseconds(20),
          .silence = milliseconds(30),
          .look = milliseconds(10)};
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

// A process that has ended by the time somebody looks.
std::unique_ptr<ProcessHandle> MakeDeadProcess(const SharedSegment& segment, int wake) {
  auto process = std::make_unique<test::ThreadProcess>(
      segment, wake, test::Impostor([](const SharedSegment& /*segment*/, int /*wake*/) {}));
  process->Kill();
  return process;
}

TEST_F(ProcessPoolTest, GivesRunsToAnotherProcessWhenTheirsEndsBeforeItIsReady) {
  Open({}, [this](const SharedSegment& segment, int wake) -> std::unique_ptr<ProcessHandle> {
    launched_ += 1;
    if (launched_ == 1) return MakeDeadProcess(segment, wake);
    return std::make_unique<test::ThreadProcess>(segment, wake, book_->Factory());
  });
  for (RunId run = 1; run <= 3; ++run)
    Start(run, test::Finishes("1"));
  for (RunId run = 1; run <= 3; ++run)
    EXPECT_EQ(CauseOf(run), StopCause::kFinished);
  EXPECT_EQ(launched_, 2U);
}

TEST_F(ProcessPoolTest, AnswersARunWhoseSecondProcessEndsBeforeItIsReady) {
  Open({}, [this](const SharedSegment& segment, int wake) {
    launched_ += 1;
    return MakeDeadProcess(segment, wake);
  });
  Start(1, {});
  EXPECT_EQ(CauseOf(1), StopCause::kCrashed);
  EXPECT_LE(launched_, 3U);
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

TEST_F(ProcessPoolTest, GivesUpAProcessThatSaysNothingWhileItsRunsHaveNoDeadline) {
  OpenWith(Hasty(), [](const auto& segment, int wake) { Say(segment, wake, kReady); });
  ASSERT_TRUE(Until([&] { return pool_->Stats().threads > 0; }));
  Start(1, {});
  RunOutcome outcome;
  ASSERT_TRUE(OutcomeOf(1, outcome));
  EXPECT_EQ(outcome.cause, StopCause::kCrashed);
  EXPECT_NE(outcome.reason, "");
}

TEST_F(ProcessPoolTest, LeavesAProcessAloneThatAnswersWhenAsked) {
  Open({.silence = milliseconds(200), .look = milliseconds(20)});
  Start(1, test::Parks());
  const auto end = std::chrono::steady_clock::now() + milliseconds(1500);
  ASSERT_TRUE(Until([&] { return std::chrono::steady_clock::now() > end; }));
  EXPECT_EQ(channel_->Count(EventKind::kOutcome), 0U);
}

TEST_F(ProcessPoolTest, EndsAProcessThatHoldsMoreThanItsRunsMay) {
  Open({.look = milliseconds(5)});
  constexpr uint64_t kEach = uint64_t{1} << 30U;
  Start(1, test::Parks(), {.memory_bytes = kEach});
  Start(2, test::Parks(), {.memory_bytes = kEach});
  ASSERT_TRUE(Until([&] { return pool_->Stats().parked == 2; }));
  last_->memory = 2 * kEach;
  const auto end = std::chrono::steady_clock::now() + milliseconds(50);
  ASSERT_TRUE(Until([&] { return std::chrono::steady_clock::now() > end; }));
  EXPECT_EQ(channel_->Count(EventKind::kOutcome), 0U);
  last_->memory = 4 * kEach;
  RunOutcome outcome;
  ASSERT_TRUE(OutcomeOf(1, outcome));
  EXPECT_EQ(outcome.cause, StopCause::kCrashed);
  EXPECT_NE(outcome.reason.find("MiB"), std::string::npos);
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
