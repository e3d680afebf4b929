#include "native/protocol/message_gate.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace isobox {
namespace {

std::string Nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string ToolResult(const std::string& result) {
  return R"({"type":"tool_result","callId":"c","ok":true,"result":)" + result + "}";
}

std::string Execute(const std::string& options, const std::string& providers) {
  return R"({"type":"execute","id":"e","code":"1","options":)" + options + R"(,"providers":)" +
         providers + "}";
}

TEST(MessageGate, EveryMessageOfTheProtocolPasses) {
  MessageGate gate;
  for (
      const std::string& line : {
          std::string(R"({"type":"cancel","id":"e"})"),
          std::string(" \t{ \"id\" : \"\" , \"type\" : \"cancel\" }\r"),
          std::string(R"({"type":"cancel","id":"é 😀 \n \u0000 \ud83d\ude00"})"),
          std::string(R"({"type":"cancel","id":"e","unknown":[{"x":null}]})"),
          std::string(R"({"type":"tool_result","callId":"c","ok":true})"),
          std::string(
              R"({"type":"tool_result","callId":"c","ok":false,"error":{"code":"x","message":""}})"),
          ToolResult("null"),
          ToolResult(R"({"a":[1,-2.5e3,true,"x"]})"),
          Execute("{}", "[]"),
          Execute(R"({"timeoutMs":1,"memoryLimitBytes":2.5,"maxLogLines":-3,"maxLogChars":1e3})",
                  R"([{"name":"t","types":"","tools":{}}])"),
          Execute("{}",
                  R"([{"name":"t","types":"","tools":{"a":{"safeName":"a","originalName":"b"},)"
                  R"("c":{"safeName":"c","originalName":"c","description":"d"}}}])"),
      })
    EXPECT_EQ(gate.Judge(line), Verdict::kMessage) << line << ": " << gate.defect();
}

TEST(MessageGate, OtherJsonIsNoMessageAndTheDefectSaysWhy) {
  MessageGate gate;
  const std::string manifest_with = R"([{"name":"t","types":"","tools":)";
  for (const auto& [line, defect] : std::vector<std::pair<std::string, std::string>>{
           {"1", "the message is not an object"},
           {"null", "the message is not an object"},
           {"[]", "the message is not an object"},
           {"{}", "\"type\" is not a string"},
           {R"({"type":1})", "\"type\" is not a string"},
           {R"({"type":"done","id":"e"})", "\"type\" is not execute, cancel or tool_result"},
           {R"({"type":"toString"})", "\"type\" is not execute, cancel or tool_result"},
           {R"({"type":"cancel"})", "\"id\" is not a string"},
           {R"({"type":"cancel","id":null})", "\"id\" is not a string"},
           {R"({"type":"tool_result","ok":true})", "\"callId\" is not a string"},
           {R"({"type":"tool_result","callId":"c"})", "\"ok\" is not true or false"},
           {R"({"type":"tool_result","callId":"c","ok":1})", "\"ok\" is not true or false"},
           {R"({"type":"tool_result","callId":"c","ok":false})", "\"error\" is not an object"},
           {R"({"type":"tool_result","callId":"c","ok":false,"error":{"message":""}})",
            "\"code\" is not a string"},
           {R"({"type":"execute","id":"e","options":{},"providers":[]})",
            "\"code\" is not a string"},
           {Execute("[]", "[]"), "\"options\" is not an object"},
           {Execute("null", "[]"), "\"options\" is not an object"},
           {Execute(R"({"timeoutMs":"1"})", "[]"), "\"timeoutMs\" is not a number"},
           {Execute(R"({"maxLogChars":null})", "[]"), "\"maxLogChars\" is not a number"},
           {Execute("{}", "{}"), "\"providers\" is not an array"},
           {Execute("{}", "[1]"), "a provider is not an object"},
           {Execute("{}", R"([{"name":"t","tools":{}}])"), "\"types\" is not a string"},
           {Execute("{}", manifest_with + "[]}]"), "\"tools\" is not an object"},
           {Execute("{}", manifest_with + R"({"a":"a"}}])"), "a tool is not an object"},
           {Execute("{}", manifest_with + R"({"a":{"safeName":"a"}}}])"),
            "\"originalName\" is not a string"},
           {Execute("{}", manifest_with +
                              R"({"a":{"safeName":"a","originalName":"a","description":null}}}])"),
            "\"description\" is not a string"},
       }) {
    EXPECT_EQ(gate.Judge(line), Verdict::kNoMessage) << line;
    EXPECT_EQ(gate.defect(), defect) << line;
  }
}

TEST(MessageGate, OfFieldsWithOneNameTheLastCounts) {
  MessageGate gate;
  EXPECT_EQ(gate.Judge(R"({"type":"done","type":"cancel","id":1,"id":"e"})"), Verdict::kMessage);
  EXPECT_EQ(gate.Judge(R"({"type":"cancel","id":"e","id":1})"), Verdict::kNoMessage);
}

TEST(MessageGate, WhiteSpaceIsBlank) {
  MessageGate gate;
  for (const char* const line : {"", " ", "\r", " \t \r"})
    EXPECT_EQ(gate.Judge(line), Verdict::kBlank);
}

TEST(MessageGate, WhatIsNotJsonIsRefused) {
  MessageGate gate;
  const std::string message = R"({"type":"cancel","id":"e"})";
  for (std::size_t length = 1; length < message.size(); ++length)
    EXPECT_EQ(gate.Judge(message.substr(0, length)), Verdict::kNotJson) << length;
  for (const std::string& line : {
           std::string("x"),
           message + message,
           message + "x",
           message + std::string(1, '\0'),
           std::string(1, '\0') + message,
           std::string("{\"type\":\"cancel\",\"id\":\"\0\"}", 26),
           std::string("{'type':'cancel','id':'e'}"),
           std::string(R"({"type":"cancel","id":"e",})"),
           std::string(R"({"type":"cancel","id":"e" /* why */})"),
           std::string("\xEF\xBB\xBF") + message,
           std::string(5000, '{'),
           std::string(R"({"type":"cancel","id":tru})"),
       })
    EXPECT_TRUE(gate.Judge(line) == Verdict::kNotJson || gate.Judge(line) == Verdict::kTooDeep)
        << line;
}

TEST(MessageGate, TextThatIsNotUtf8IsRefused) {
  MessageGate gate;
  for (const char* const bytes : {"\xff", "\x80", "\xc3", "\xed\xa0\x80", "\xf5\x80\x80\x80"})
    EXPECT_EQ(gate.Judge(R"({"type":"cancel","id":")" + std::string(bytes) + "\"}"),
              Verdict::kNotUtf8);
}

TEST(MessageGate, NestingHasABound) {
  MessageGate gate;
  EXPECT_EQ(gate.Judge(ToolResult(Nested(500))), Verdict::kMessage);
  EXPECT_EQ(gate.Judge(ToolResult(Nested(510))), Verdict::kMessage);
  EXPECT_EQ(gate.Judge(ToolResult(Nested(512))), Verdict::kTooDeep);
  EXPECT_EQ(gate.Judge(ToolResult(Nested(1'000'000))), Verdict::kTooDeep);
  EXPECT_EQ(gate.Judge(ToolResult(Nested(500))), Verdict::kMessage);
}

TEST(MessageGate, WhatSimdjsonCannotHoldIsLeftToV8) {
  MessageGate gate;
  for (const char* const result : {"123456789012345678901234567890", "1e999", "01", R"("\ud800")"})
    EXPECT_EQ(gate.Judge(ToolResult(result)), Verdict::kUnsure) << result;
}

TEST(MessageGate, WhatIsLeftToV8IsNotDeepEither) {
  MessageGate gate;
  const std::string number = "123456789012345678901234567890";
  EXPECT_EQ(gate.Judge(ToolResult("[" + number + "," + Nested(500) + "]")), Verdict::kUnsure);
  EXPECT_EQ(gate.Judge(ToolResult("[" + number + "," + Nested(512) + "]")), Verdict::kTooDeep);
  EXPECT_EQ(gate.Judge(ToolResult("[" + number + ",\"\\\"" + std::string(600, '[') + "\"]")),
            Verdict::kUnsure);
}

TEST(MessageGate, LinesOfEveryLengthAreReadWithinTheirBytes) {
  MessageGate gate;
  for (std::size_t length = 0; length < 300; ++length) {
    // Exactly as long as the line, so that a sanitizer sees a read beyond it.
    const std::string line = R"({"type":"cancel","id":")" + std::string(length, 'x') + "\"}";
    const std::vector<char> exact(line.begin(), line.end());
    EXPECT_EQ(gate.Judge({exact.data(), exact.size()}), Verdict::kMessage);
  }
}

TEST(MessageGate, LongLinesAndShortOnesTakeTurns) {
  MessageGate gate;
  const std::string longer = ToolResult('"' + std::string(std::size_t{3} << 20, 'x') + '"');
  const std::string shorter = ToolResult("1");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(gate.Judge(longer), Verdict::kMessage);
    EXPECT_EQ(gate.Judge(shorter), Verdict::kMessage);
  }
}

}  // namespace
}  // namespace isobox
