#include "test/fuzz/in_node.h"

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv,
                                   int (*callback)(const std::uint8_t* data, std::size_t size));

namespace {

// V8 would let garbage grow past the memory that libFuzzer allows.
constexpr std::uint64_t kInputsPerCollection = 10000;

int TestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::uint64_t inputs = 0;
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  if (++inputs % kInputsPerCollection == 0) isolate->LowMemoryNotification();
  const v8::HandleScope handles(isolate);
  return LLVMFuzzerTestOneInput(data, size);
}

}  // namespace

void RunLibFuzzer(const v8::FunctionCallbackInfo<v8::Value>& info) {
  std::vector<std::string> texts;
  for (int i = 0; i < info.Length(); ++i) {
    texts.emplace_back(*v8::String::Utf8Value(info.GetIsolate(), info[i]));
  }
  std::vector<char*> pointers;
  for (std::string& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  int count = info.Length();
  char** arguments = pointers.data();
  // libFuzzer leaves signals alone that have a handler, and Node has given them some.
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM}) {
    std::signal(number, SIG_DFL);
  }
  // V8 ends in a trap, of which libFuzzer does not know.
  std::signal(SIGTRAP, [](int /*number*/) { std::abort(); });
  // Destructors of Node's static objects would run while V8's threads still use those.
  on_exit([](int status, void* /*unused*/) { _exit(status); }, nullptr);
  std::exit(LLVMFuzzerRunDriver(&count, &arguments, TestOneInput));
}
