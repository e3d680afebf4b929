#include "native/core/run_ledger.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "test/native/fake_guest.h"

namespace isobox {
namespace {

using test::EventKind;
using test::Finished;
using test::RecordingChannel;
using test::Request;

constexpr RunId kRun = 7;

// A ledger and the channel it posts to.
struct Book {
  explicit Book(RunLimits limits = {}) : ledger(Request(kRun, limits), channel) {}
  explicit Book(const RunRequest& request) : ledger(request, channel) {}

  CallAdmission Call(std::string arguments) {
    return ledger.StartCall(3, {std::move(arguments)}, last_call);
  }
  // The outcome of ending for this cause.
  RunOutcome End(StopCause cause, GuestResult result = {}) {
    ledger.latch().Trip(cause);
    EXPECT_TRUE(Settle(std::move(result)).has_value());
    return channel.WaitForOutcome(kRun).value_or(RunOutcome{});
  }
  // Empty when this call was not the one that settled.
  std::optional<SettledFacts> Settle(GuestResult result) {
    std::optional<SettledFacts> settled;
    ledger.Settle(std::move(result), [&](const SettledFacts& facts) { settled = facts; });
    return settled;
  }

  RecordingChannel channel;
  RunLedger ledger;
  CallId last_call = 0;
};

TEST(RunLedger, PostsCallsWithIdsOfTheirOwn) {
  Book book;
  ASSERT_EQ(book.Call("one"), CallAdmission::kPassed);
  const CallId first = book.last_call;
  ASSERT_EQ(book.Call("two"), CallAdmission::kPassed);
  EXPECT_NE(book.last_call, first);
  const auto events = book.channel.Events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, EventKind::kCall);
  EXPECT_EQ(events[0].id, kRun);
  EXPECT_EQ(events[0].detail, first);
  EXPECT_EQ(events[0].text, "one");
  EXPECT_EQ(events[1].detail, book.last_call);
}

TEST(RunLedger, BoundsTheNumberOfCalls) {
  Book book(RunLimits{.calls = 2});
  EXPECT_EQ(book.Call("a"), CallAdmission::kPassed);
  EXPECT_EQ(book.ledger.EndCall(book.last_call, true, 0), CallAdmission::kPassed);
  EXPECT_EQ(book.Call("b"), CallAdmission::kPassed);
  EXPECT_EQ(book.ledger.EndCall(book.last_call, true, 0), CallAdmission::kPassed);
  EXPECT_EQ(book.Call("c"), CallAdmission::kOverBudget);
  EXPECT_EQ(book.channel.Count(EventKind::kCall), 2U);
}

TEST(RunLedger, BoundsTheCallsInFlight) {
  Book book(RunLimits{.calls_in_flight = 1});
  EXPECT_EQ(book.Call("a"), CallAdmission::kPassed);
  EXPECT_EQ(book.Call("b"), CallAdmission::kOverBudget);
  EXPECT_EQ(book.ledger.EndCall(book.last_call, false, 0), CallAdmission::kPassed);
  EXPECT_EQ(book.Call("c"), CallAdmission::kPassed);
}

TEST(RunLedger, BoundsWhatUnansweredCallsCostTheHost) {
  Book book(RunLimits{.memory_bytes = 10000});
  const auto call = [&book](uint64_t bytes) {
    Payload arguments{.bytes = "{}", .cost = {.bytes = bytes}};
    return book.ledger.StartCall(3, std::move(arguments), book.last_call);
  };
  EXPECT_EQ(call(10000), CallAdmission::kOverBudget);
  EXPECT_EQ(call(6000), CallAdmission::kPassed);
  EXPECT_EQ(call(6000), CallAdmission::kOverBudget);
  EXPECT_EQ(book.ledger.EndCall(book.last_call, true, 0), CallAdmission::kPassed);
  EXPECT_EQ(call(6000), CallAdmission::kPassed);
}

TEST(RunLedger, CountsLongTextsBesideTheirValue) {
  Book book(RunLimits{.call_bytes = 10});
  const auto call = [&book](std::string text) {
    Payload arguments{.bytes = "[0]"};
    arguments.long_texts.push_back(std::move(text));
    return book.ledger.StartCall(3, std::move(arguments), book.last_call);
  };
  EXPECT_EQ(call("12345678"), CallAdmission::kOverBudget);
  EXPECT_EQ(call("1234567"), CallAdmission::kPassed);
}

TEST(RunLedger, BoundsTheBytesOfAllCallsAndReplies) {
  Book book(RunLimits{.call_bytes = 10});
  EXPECT_EQ(book.Call("12345678901"), CallAdmission::kOverBudget);
  EXPECT_EQ(book.Call("1234"), CallAdmission::kPassed);
  EXPECT_EQ(book.ledger.EndCall(book.last_call, true, 4), CallAdmission::kPassed);
  EXPECT_EQ(book.Call("123"), CallAdmission::kOverBudget);
  EXPECT_EQ(book.Call("12"), CallAdmission::kPassed);
  EXPECT_EQ(book.Call("1"), CallAdmission::kOverBudget);
  EXPECT_EQ(book.Call(""), CallAdmission::kPassed);
}

TEST(RunLedger, SaysWhenAReplyBreaksTheBudget) {
  Book book(RunLimits{.call_bytes = 10});
  EXPECT_EQ(book.Call("1234"), CallAdmission::kPassed);
  const CallId first = book.last_call;
  EXPECT_EQ(book.Call("1"), CallAdmission::kPassed);
  EXPECT_EQ(book.ledger.EndCall(first, true, 5), CallAdmission::kPassed);  // just fits
  EXPECT_EQ(book.ledger.EndCall(book.last_call, true, 1), CallAdmission::kOverBudget);
  EXPECT_EQ(book.Call("1"), CallAdmission::kOverBudget);
}

TEST(RunLedger, BoundsTheBytesInFlight) {
  Book book(RunLimits{.call_bytes_in_flight = 5});
  EXPECT_EQ(book.Call("123456"), CallAdmission::kOverBudget);
  EXPECT_EQ(book.Call("123"), CallAdmission::kPassed);
  const CallId first = book.last_call;
  EXPECT_EQ(book.Call("123"), CallAdmission::kOverBudget);
  EXPECT_EQ(book.Call("12"), CallAdmission::kPassed);
  EXPECT_EQ(book.ledger.EndCall(first, true, 100), CallAdmission::kPassed);
  EXPECT_EQ(book.Call("123"), CallAdmission::kPassed);
}

TEST(RunLedger, ARefusedCallIsNeitherPostedNorCounted) {
  Book book(RunLimits{.calls_in_flight = 1});
  EXPECT_EQ(book.Call("a"), CallAdmission::kPassed);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(book.Call("b"), CallAdmission::kOverBudget);
  const RunOutcome outcome = book.End(StopCause::kCalls);
  EXPECT_EQ(outcome.facts.calls, 1U);
  EXPECT_EQ(outcome.facts.call_bytes, 1U);
  EXPECT_EQ(book.channel.Count(EventKind::kCall), 1U);
}

TEST(RunLedger, TakesNoCallsOnceTheRunIsStopped) {
  Book book;
  book.ledger.latch().Trip(StopCause::kDeadline);
  EXPECT_EQ(book.Call("a"), CallAdmission::kEnded);
  EXPECT_EQ(book.channel.Count(EventKind::kCall), 0U);
}

TEST(RunLedger, KnowsEachReplyOnce) {
  Book book;
  EXPECT_EQ(book.ledger.EndCall(1, true, 0), CallAdmission::kEnded);
  EXPECT_EQ(book.Call("a"), CallAdmission::kPassed);
  EXPECT_EQ(book.ledger.EndCall(book.last_call, true, 0), CallAdmission::kPassed);
  EXPECT_EQ(book.ledger.EndCall(book.last_call, true, 0), CallAdmission::kEnded);
}

// A thread that was written off may still deliver replies when it comes back.
TEST(RunLedger, AReplyAfterTheOutcomeChangesNothing) {
  Book book;
  EXPECT_EQ(book.Call("a"), CallAdmission::kPassed);
  const CallId call = book.last_call;
  const RunOutcome outcome = book.End(StopCause::kDeadline);
  EXPECT_EQ(book.ledger.EndCall(call, true, 100), CallAdmission::kEnded);
  ASSERT_EQ(outcome.facts.call_facts.size(), 1U);
  EXPECT_FALSE(outcome.facts.call_facts[0].settled);
}

TEST(RunLedger, ReportsWhatEachCallDid) {
  Book book;
  EXPECT_EQ(book.Call("abc"), CallAdmission::kPassed);
  const CallId first = book.last_call;
  EXPECT_EQ(book.Call("d"), CallAdmission::kPassed);
  const CallId second = book.last_call;
  EXPECT_EQ(book.Call(""), CallAdmission::kPassed);
  EXPECT_EQ(book.ledger.EndCall(second, false, 20), CallAdmission::kPassed);
  EXPECT_EQ(book.ledger.EndCall(first, true, 10), CallAdmission::kPassed);
  const RunOutcome outcome = book.End(StopCause::kFinished);
  EXPECT_EQ(outcome.facts.calls, 3U);
  EXPECT_EQ(outcome.facts.call_bytes, 34U);
  const auto& facts = outcome.facts.call_facts;
  ASSERT_EQ(facts.size(), 3U);
  EXPECT_EQ(facts[0].slot, 3U);
  EXPECT_TRUE(facts[0].settled && facts[0].ok);
  EXPECT_EQ(facts[0].bytes_out, 3U);
  EXPECT_EQ(facts[0].bytes_in, 10U);
  EXPECT_TRUE(facts[1].settled);
  EXPECT_FALSE(facts[1].ok);
  EXPECT_EQ(facts[1].bytes_in, 20U);
  EXPECT_FALSE(facts[2].settled);
}

TEST(RunLedger, KeepsFactsOfTheFirstCallsOnly) {
  Book book;
  constexpr size_t kCalls = kMaxCallFacts + 10;
  for (size_t i = 0; i < kCalls; ++i) {
    ASSERT_EQ(book.Call("a"), CallAdmission::kPassed);
    ASSERT_EQ(book.ledger.EndCall(book.last_call, true, 1), CallAdmission::kPassed);
  }
  const RunOutcome outcome = book.End(StopCause::kFinished);
  EXPECT_EQ(outcome.facts.calls, kCalls);
  ASSERT_EQ(outcome.facts.call_facts.size(), kMaxCallFacts);
  EXPECT_TRUE(outcome.facts.call_facts.back().settled);
}

TEST(RunLedger, SettlesOnceWithTheLatchedCause) {
  Book book;
  book.ledger.latch().Trip(StopCause::kFinished);
  const auto facts = book.Settle(Finished("42"));
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->cause, StopCause::kFinished);
  EXPECT_FALSE(book.Settle(Finished("43")).has_value());
  EXPECT_EQ(book.channel.Count(EventKind::kOutcome), 1U);
  EXPECT_EQ(book.channel.WaitForOutcome(kRun)->value.bytes, "42");
}

TEST(RunLedger, IsCountedBeforeTheCallerIsAnswered) {
  Book book;
  CallId call = 0;
  ASSERT_EQ(book.ledger.StartCall(1, {"abc"}, call), CallAdmission::kPassed);
  book.ledger.latch().Trip(StopCause::kFinished);
  bool has_counted = false;
  book.ledger.Settle(Finished(""), [&](const SettledFacts& facts) {
    EXPECT_EQ(book.channel.Count(EventKind::kOutcome), 0U);
    EXPECT_EQ(facts.calls, 1U);
    EXPECT_EQ(facts.call_bytes, 3U);
    has_counted = true;
  });
  EXPECT_TRUE(has_counted);
  EXPECT_EQ(book.channel.Count(EventKind::kOutcome), 1U);
}

TEST(RunLedger, DropsAResultThatCameAfterTheStop) {
  Book book;
  book.ledger.latch().Trip(StopCause::kDeadline);
  const RunOutcome outcome = book.End(StopCause::kFinished, Finished("too late"));
  EXPECT_EQ(outcome.cause, StopCause::kDeadline);
  EXPECT_EQ(outcome.value.bytes, "");
}

TEST(RunLedger, ReportsTheErrorOfTheLatchedCause) {
  Book book;
  GuestResult result{.cause = StopCause::kGuestError, .error = {.name = "TypeError", .line = 3}};
  const RunOutcome outcome = book.End(StopCause::kGuestError, std::move(result));
  EXPECT_EQ(outcome.error.name, "TypeError");
  EXPECT_EQ(outcome.error.line, 3);
}

TEST(RunLedger, PassesTheCallersReasonOn) {
  Book book;
  book.ledger.SetReason("user left");
  EXPECT_EQ(book.End(StopCause::kTerminated).reason, "user left");
}

TEST(RunLedger, ReportsTimesAndMemory) {
  Book book;
  book.ledger.AddCpu(5);
  book.ledger.AddCpu(7);
  book.ledger.NotePeakMemory(1234);
  test::BurnCpu(std::chrono::milliseconds(2));
  book.ledger.NoteStarted();
  test::BurnCpu(std::chrono::milliseconds(2));
  EXPECT_EQ(book.ledger.cpu_us(), 12U);
  const RunOutcome outcome = book.End(StopCause::kFinished);
  EXPECT_EQ(outcome.facts.cpu_us, 12U);
  EXPECT_EQ(outcome.facts.peak_heap_bytes, 1234U);
  EXPECT_GE(outcome.facts.queued_us, 2000U);
  EXPECT_GE(outcome.facts.wall_us, outcome.facts.queued_us + 2000U);
}

TEST(RunLedger, KeepsLogsForTheOutcome) {
  Book book(RunLimits{.log_lines = 2});
  EXPECT_TRUE(book.ledger.WantsLogs());
  book.ledger.LogLine(LogLevel::kLog, "one");
  book.ledger.LogArguments(LogLevel::kError, {{"2"}, {"3"}});
  EXPECT_FALSE(book.ledger.WantsLogs());
  book.ledger.LogLine(LogLevel::kLog, "three");
  const RunOutcome outcome = book.End(StopCause::kFinished);
  ASSERT_EQ(outcome.logs.size(), 2U);
  EXPECT_EQ(outcome.logs[0].text, "one");
  EXPECT_GT(outcome.logs[0].timestamp_ms, 0);
  ASSERT_EQ(outcome.logs[1].arguments.size(), 2U);
  EXPECT_EQ(outcome.logs[1].arguments[1].bytes, "3");
  EXPECT_TRUE(outcome.logs_truncated);
  EXPECT_EQ(book.channel.Count(EventKind::kLog), 0U);
}

TEST(RunLedger, SaysThatLogsAreMissingWhenTold) {
  Book book;
  book.ledger.MarkLogsTruncated();
  EXPECT_TRUE(book.End(StopCause::kFinished).logs_truncated);
}

TEST(RunLedger, PostsLogsAsTheyComeWhenAsked) {
  RunRequest request = Request(kRun, RunLimits{.log_chars = 5});
  request.wants_live_logs = true;
  Book book(request);
  book.ledger.LogLine(LogLevel::kLog, "abc");
  book.ledger.LogLine(LogLevel::kLog, "defg");
  book.ledger.LogLine(LogLevel::kLog, "dropped");
  const auto events = book.channel.Events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].text, "abc");
  EXPECT_EQ(events[1].text, "de");
}

TEST(RunLedger, PostsNothingAfterTheOutcome) {
  RunRequest request = Request(kRun);
  request.wants_live_logs = true;
  Book book(request);
  book.End(StopCause::kTerminated);
  EXPECT_EQ(book.Call("a"), CallAdmission::kEnded);
  EXPECT_FALSE(book.ledger.WantsLogs());
  book.ledger.LogLine(LogLevel::kLog, "late");
  book.ledger.LogArguments(LogLevel::kLog, {{"1"}});
  book.ledger.PostInvoked({});
  EXPECT_EQ(book.channel.Events().size(), 1U);
  EXPECT_EQ(book.channel.LateEvents(), 0U);
}

TEST(RunLedger, PutsItsRunOnInvokedEvents) {
  Book book;
  book.ledger.PostInvoked({.run = 999, .invocation = 5, .ok = true, .value = {"v"}});
  const auto events = book.channel.Events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, EventKind::kInvoked);
  EXPECT_EQ(events[0].id, kRun);
  EXPECT_EQ(events[0].detail, 5U);
}

// What a guest does on its thread while others end its run.
TEST(RunLedger, TheOutcomeIsLastUnderContention) {
  constexpr int kRounds = 50;
  constexpr int kSettlers = 3;
  for (int round = 0; round < kRounds; ++round) {
    RunRequest request = Request(kRun, RunLimits{.calls = 1000});
    request.wants_live_logs = true;
    Book book(request);
    std::latch start(kSettlers + 1);
    std::atomic<int> settled{0};
    std::vector<std::thread> settlers;
    for (int i = 0; i < kSettlers; ++i) {
      settlers.emplace_back([&] {
        start.arrive_and_wait();
        book.ledger.latch().Trip(StopCause::kTerminated);
        if (book.Settle({})) settled += 1;
      });
    }
    start.arrive_and_wait();
    for (int i = 0; i < 100; ++i) {
      if (book.Call("a") == CallAdmission::kPassed) book.ledger.EndCall(book.last_call, true, 1);
      book.ledger.LogLine(LogLevel::kLog, "line");
      book.ledger.PostInvoked({});
    }
    for (std::thread& settler : settlers)
      settler.join();
    ASSERT_EQ(settled, 1);
    ASSERT_EQ(book.channel.Count(EventKind::kOutcome), 1U);
    ASSERT_EQ(book.channel.LateEvents(), 0U);
    ASSERT_EQ(book.channel.Events().back().kind, EventKind::kOutcome);
  }
}

}  // namespace
}  // namespace isobox
