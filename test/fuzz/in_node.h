#pragma once
// libFuzzer inside Node, for fuzzers that need V8: such a fuzzer is an addon with this function.

#include <v8.h>

// Takes the arguments of a libFuzzer program, its name first, and fuzzes LLVMFuzzerTestOneInput on
// the calling thread, in its context. Ends the process.
void RunLibFuzzer(const v8::FunctionCallbackInfo<v8::Value>& info);
