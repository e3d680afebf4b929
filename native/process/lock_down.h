#pragma once
// Takes from a guest process whatever it does not need to run guests, for good. What a kernel does
// not have is left out, and the names of what is in force say so.

#include <cstddef>
#include <string>
#include <vector>

namespace isobox::lock_down {

// What this system can do, by name; the order is the one in which it is done:
//   no-new-privileges  no program that it starts could gain rights, and nobody may look into it
//   descriptors        it has none but what it runs with: nothing of the host's
//   limits             no file grows, no core is written, no file can be opened, no process made
//   landlock           no path can be opened, no TCP port bound or reached
//   seccomp            only the system calls in syscall_filter.cc
std::vector<std::string> Available();
inline constexpr size_t kAll = 5;

// Locks the calling process, all its threads included, and says what is in force. `kept` is the
// descriptor that it keeps beside those that are no way out.
std::vector<std::string> Apply(int kept);

}  // namespace isobox::lock_down
