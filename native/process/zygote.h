#pragma once
// Guest processes that are forked from one that has unused guests ready: the zygote. What is forked
// has the host as its parent, as a process that the host starts itself, and lives on when the
// zygote does not. Linux.

#include <functional>
#include <string>
#include <vector>

#include "native/process/guest_process.h"
#include "native/process/spawn.h"

namespace isobox {

// The host's side. The command is the zygote's, which is started with the first process, and again
// when it is gone or does not answer. It ends with the last process that it made. Loop thread only.
Launcher ZygoteLauncher(ProcessCommand command);

namespace zygote {

// What a new process has: a segment and a wake of its host's.
struct Charge {
  Descriptor segment;
  Descriptor wake;
};

// The zygote's side: makes a process for every request of the host with this process id, and never
// returns in them, nor when the host is gone. `serve` runs in each; `inherits` is what the host is
// told of it. One thread.
[[noreturn]] void Serve(int host, bool inherits, const std::function<void(Charge)>& serve);

// Has the system pass on the memory of this process to those that are forked from it: V8 asks it
// not to.
void PassOnMemory();

// What `act` returns in each of two processes that are forked for it; empty when one of them does
// not return soon.
std::vector<std::string> Rehearse(const std::function<std::string()>& act);

}  // namespace zygote
}  // namespace isobox
