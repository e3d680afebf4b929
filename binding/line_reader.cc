#include "binding/line_reader.h"

#include <string>
#include <string_view>

namespace isobox {
namespace {

// Why a line was refused, as lib/ knows it; empty for lines that pass.
const char* NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMessage:
    case Verdict::kUnsure:
    case Verdict::kBlank:
      return "";
    case Verdict::kNotUtf8:
      return "not_utf8";
    case Verdict::kNotJson:
      return "not_json";
    case Verdict::kTooDeep:
      return "too_deep";
    case Verdict::kNoMessage:
      return "no_message";
    case Verdict::kOutOfMemory:
      return "out_of_memory";
  }
  return "";
}

Napi::Object DescribeRefusal(Napi::Env env, const char* refusal, const std::string& detail) {
  Napi::Object event = Napi::Object::New(env);
  event["refusal"] = Napi::String::New(env, refusal);
  event["detail"] = Napi::String::New(env, detail);
  return event;
}

}  // namespace

Napi::Function LineReader::Define(Napi::Env env) {
  return DefineClass(
      env, "LineReader",
      {InstanceMethod<&LineReader::Push>("push"), InstanceMethod<&LineReader::End>("end")});
}

LineReader::LineReader(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<LineReader>(info),
      splitter_(static_cast<std::size_t>(info[0].As<Napi::Number>().Int64Value())) {}

Napi::Value LineReader::Push(const Napi::CallbackInfo& info) {
  const auto bytes = info[0].As<Napi::Uint8Array>();
  const std::string_view chunk(reinterpret_cast<const char*>(bytes.Data()), bytes.ByteLength());
  splitter_.Feed(chunk);
  return TakeLines(info.Env());
}

Napi::Value LineReader::End(const Napi::CallbackInfo& info) {
  splitter_.Finish();
  return TakeLines(info.Env());
}

Napi::Value LineReader::TakeLines(Napi::Env env) {
  Napi::Array events = Napi::Array::New(env);
  std::uint32_t count = 0;
  while (const auto line = splitter_.Next()) {
    const Napi::HandleScope scope(env);
    const Napi::Value event = Describe(env, *line);
    if (!event.IsEmpty()) events[count++] = event;
  }
  return events;
}

Napi::Value LineReader::Describe(Napi::Env env, const Line& line) {
  Napi::Object event;
  if (line.kind == Line::Kind::kTooLong) {
    event = DescribeRefusal(env, "too_long", std::to_string(line.bytes) + " bytes");
  } else {
    const Verdict verdict = gate_.Judge(line.text);
    if (verdict == Verdict::kBlank) return {};
    if (verdict == Verdict::kMessage || verdict == Verdict::kUnsure) {
      event = Napi::Object::New(env);
      event["text"] = Napi::String::New(env, line.text.data(), line.text.size());
      event["isMessage"] = Napi::Boolean::New(env, verdict == Verdict::kMessage);
    } else {
      const bool has_defect = verdict == Verdict::kNoMessage;
      event = DescribeRefusal(env, NameOf(verdict), has_defect ? gate_.defect() : std::string());
    }
  }
  event["line"] = Napi::Number::New(env, static_cast<double>(line.number));
  return event;
}

}  // namespace isobox
