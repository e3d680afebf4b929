#pragma once
// What the zygote runs: a process with unused isolates, of which guest processes are forked. Loop
// thread only.

#include <napi.h>

namespace isobox::zygote_process {

// serveZygote(host, sandbox, isolates, program, script): turns this process into the zygote of the
// host with that process id. Where isolates do not survive a fork, guest processes are started as
// programs, `program script host sandbox`. Never returns.
void Serve(const Napi::CallbackInfo& info);

}  // namespace isobox::zygote_process
