// Any line has a verdict, the same from a gate that has judged others and from a new one.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "native/protocol/message_gate.h"

namespace {

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static isobox::MessageGate used;
  // A copy of the exact size, so that reading past it is seen.
  const std::string line(reinterpret_cast<const char*>(data), size);
  if (line.find('\n') != std::string::npos) return 0;  // that would be two lines
  isobox::MessageGate fresh;
  const isobox::Verdict verdict = fresh.Judge(line);
  Require(used.Judge(line) == verdict);
  if (verdict == isobox::Verdict::kNoMessage) Require(!fresh.defect().empty());
  if (line.find_first_not_of(" \t\r") == std::string::npos) {
    Require(verdict == isobox::Verdict::kBlank);
  }
  return 0;
}
