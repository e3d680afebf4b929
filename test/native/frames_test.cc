#include "native/process/frames.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "native/process/frame_stream.h"
#include "native/process/shared_segment.h"

namespace isobox {
namespace {

constexpr size_t kHead = sizeof(uint32_t);

std::string Body(const std::string& frame) { return frame.substr(kHead); }

Payload FullPayload() {
  Payload payload;
  payload.bytes = "[0,\"x\"]";
  payload.marks = {{TextMark::Kind::kOpen, 0, 0, 0, 2}, {TextMark::Kind::kText, 1, 1, 0, 0}};
  payload.long_texts = {std::string("long\0text", 9)};
  payload.cost = {77, 88};
  payload.has_references = true;
  return payload;
}

RunRequest FullRequest() {
  RunRequest request;
  request.id = 7;
  request.source = "return 1";
  request.filename = "a.js";
  request.kind = SourceKind::kModule;
  request.profile = ValueProfile::kClone;
  request.wants_live_logs = true;
  request.realm.allows_web_assembly = true;
  request.realm.console = ConsoleMode::kEntries;
  request.realm.console_scope = BindingScope::kLexical;
  request.realm.namespaces = {{"tools", {{"add", 3}, {"sub", 4}}}};
  request.realm.bindings = {{"config", FullPayload(), BindingScope::kLexical}};
  request.module.entry_path = "dir/a.js";
  request.module.arguments = FullPayload();
  request.module.argument_count = 2;
  request.module.suffixes = {".js", ".ts"};
  request.module.sources = {{"b.js", "export {}"}};
  request.module.synthetic = {{"host", {{"x", FullPayload()}}}};
  request.limits.wall_us = 5;
  request.limits.value_depth = 9;
  return request;
}

RunOutcome FullOutcome() {
  RunOutcome outcome;
  outcome.cause = StopCause::kGuestError;
  outcome.value = FullPayload();
  outcome.error.name = "TypeError";
  outcome.error.message = "no";
  outcome.error.is_object = true;
  outcome.error.line = 3;
  outcome.error.frames = {{"f", "a.js", 3, 4}};
  outcome.reason = "because";
  outcome.logs = {{LogLevel::kWarn, 12.5, "line", {FullPayload()}}};
  outcome.logs_truncated = true;
  outcome.facts.cpu_us = 11;
  outcome.facts.queued_us = 12;
  outcome.facts.peak_heap_bytes = 13;
  return outcome;
}

// One frame of each kind, every field of which differs from what it is by default.
std::vector<ToGuests> EveryToGuests() {
  return {OpenFrame{{.threads = 3, .warm_target = 5, .warm_idle = std::chrono::milliseconds(6)}},
          StartFrame{FullRequest()},
          ReplyFrame{7, {8, true, FullPayload(), {"Error", "message", "code"}}},
          InvokeFrame{7, {9, 10, FullPayload()}},
          StopFrame{7, StopCause::kDeadline, "late"},
          PrewarmFrame{1, 2},
          AskFrame{}};
}

std::vector<ToHost> EveryToHost() {
  return {ReadyFrame{{"seccomp", "landlock"}},
          CallEvent{7, 8, 9, FullPayload()},
          InvokedEvent{7, 8, true, FullPayload(), FullOutcome().error},
          LogFrame{7, FullOutcome().logs.front()},
          OutcomeFrame{7, FullOutcome()},
          WarmFrame{4},
          NumbersFrame{1, 2, 3, 4, 5, 6}};
}

// A struct has no comparison of its own; its bytes have all its fields.
TEST(Frames, ComeBackAsTheyWere) {
  for (const ToGuests& frame : EveryToGuests()) {
    const std::string bytes = WriteFrame(frame);
    auto read = ReadToGuests(Body(bytes));
    ASSERT_TRUE(read) << frame.index();
    EXPECT_EQ(read->index(), frame.index());
    EXPECT_EQ(WriteFrame(*std::move(read)), bytes);
  }
  for (const ToHost& frame : EveryToHost()) {
    const std::string bytes = WriteFrame(frame);
    auto read = ReadToHost(Body(bytes));
    ASSERT_TRUE(read) << frame.index();
    EXPECT_EQ(read->index(), frame.index());
    EXPECT_EQ(WriteFrame(*std::move(read)), bytes);
  }
}

TEST(Frames, CarryEveryFieldOfARequest) {
  const auto read = ReadToGuests(Body(WriteFrame(StartFrame{FullRequest()})));
  ASSERT_TRUE(read);
  const RunRequest& request = std::get<StartFrame>(*read).request;
  EXPECT_EQ(request.id, 7U);
  EXPECT_EQ(request.kind, SourceKind::kModule);
  EXPECT_EQ(request.realm.namespaces.at(0).members.at(1).name, "sub");
  EXPECT_EQ(request.realm.bindings.at(0).value.marks.at(1).kind, TextMark::Kind::kText);
  EXPECT_EQ(request.module.synthetic.at(0).exports.at(0).second.long_texts.at(0).size(), 9U);
  EXPECT_EQ(request.limits.wall_us, 5U);
  EXPECT_EQ(request.limits.cpu_us, kUnlimited);
  EXPECT_EQ(request.limits.value_depth, 9U);
}

TEST(Frames, ThatAreCutShortAreNone) {
  for (const ToHost& frame : EveryToHost()) {
    const std::string body = Body(WriteFrame(frame));
    for (size_t size = 0; size < body.size(); ++size)
      EXPECT_FALSE(ReadToHost(std::string_view(body).substr(0, size))) << frame.index();
  }
}

TEST(Frames, ThatGoOnAreNone) {
  for (const ToHost& frame : EveryToHost())
    EXPECT_FALSE(ReadToHost(Body(WriteFrame(frame)) + 'x')) << frame.index();
}

TEST(Frames, OfNoKindAreNone) {
  EXPECT_FALSE(ReadToHost(std::string(1, '\x20')));
  EXPECT_FALSE(ReadToHost(std::string(1, '\xff')));
}

TEST(Frames, WithValuesThatDoNotExistAreNone) {
  std::string cause = Body(WriteFrame(OutcomeFrame{7, FullOutcome()}));
  cause.at(1 + sizeof(RunId)) = '\x7f';
  EXPECT_FALSE(ReadToHost(cause));
  std::string flag = Body(WriteFrame(InvokedEvent{7, 8, true, {}, {}}));
  flag.at(1 + sizeof(RunId) + sizeof(CallId)) = '\x02';
  EXPECT_FALSE(ReadToHost(flag));
}

// Whatever one byte becomes, the reader stays inside its bytes: ASan looks on.
TEST(Frames, MaySayAnything) {
  for (const ToHost& frame : EveryToHost()) {
    const std::string body = Body(WriteFrame(frame));
    for (size_t at = 0; at < body.size(); ++at) {
      for (const char byte : {'\x00', '\x01', '\x7f', '\x80', '\xff'}) {
        std::string changed = body;
        changed[at] = byte;
        if (auto read = ReadToHost(changed)) {
          EXPECT_EQ(Body(WriteFrame(*std::move(read))), changed);
        }
      }
    }
  }
}

class FrameStream : public testing::Test {
 protected:
  std::optional<SharedSegment> segment_ = SharedSegment::Create();
  FrameSender sender_{segment_->to_host()};
  FrameReceiver receiver_{segment_->to_host()};
};

TEST_F(FrameStream, CarriesFramesLongerThanItsRing) {
  const std::string text(3 * SharedSegment::kRingBytes + 5, 'x');
  CallEvent event{1, 2, 3, {}};
  event.arguments.bytes = text;
  sender_.Add(WriteFrame(ToHost(event)));
  sender_.Add(WriteFrame(ToHost(WarmFrame{4})));
  std::vector<ToHost> received;
  for (int turn = 0; turn < 100 && received.size() < 2; ++turn) {
    sender_.Flush();
    while (const auto bytes = receiver_.Next(2 * text.size()))
      received.push_back(*ReadToHost(*bytes));
  }
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(std::get<CallEvent>(received.at(0)).arguments.bytes, text);
  EXPECT_EQ(std::get<WarmFrame>(received.at(1)).request, 4U);
  EXPECT_TRUE(sender_.IsEmpty());
}

TEST_F(FrameStream, BreaksAtAFrameThatIsTooLong) {
  sender_.Add(WriteFrame(ToHost(CallEvent{1, 2, 3, FullPayload()})));
  sender_.Flush();
  EXPECT_FALSE(receiver_.Next(8));
  EXPECT_TRUE(receiver_.IsBroken());
  EXPECT_FALSE(receiver_.Next(1000));
}

TEST_F(FrameStream, BreaksAtAFrameOfNothing) {
  RingWriter writer(segment_->to_guests());
  FrameReceiver receiver(segment_->to_guests());
  const uint32_t none = 0;
  ASSERT_EQ(writer.Write(reinterpret_cast<const char*>(&none), sizeof none), sizeof none);
  EXPECT_FALSE(receiver.Next(1000));
  EXPECT_TRUE(receiver.IsBroken());
}

// Announcing four gigabytes takes no memory: nothing grows before the bytes are there.
TEST_F(FrameStream, WaitsForWhatWasOnlyAnnounced) {
  RingWriter writer(segment_->to_guests());
  FrameReceiver receiver(segment_->to_guests());
  const uint32_t most = 0xffffffff;
  ASSERT_EQ(writer.Write(reinterpret_cast<const char*>(&most), sizeof most), sizeof most);
  EXPECT_FALSE(receiver.Next(most));
  EXPECT_FALSE(receiver.IsBroken());
}

}  // namespace
}  // namespace isobox
