#pragma once
// Starts guest processes as programs of this system. Any thread.

#include <memory>
#include <string>
#include <vector>

#include "native/process/guest_process.h"

namespace isobox {

// Where a guest process finds what it shares with its host.
inline constexpr int kSegmentDescriptor = 3;
inline constexpr int kWakeDescriptor = 4;

// It inherits nothing else: no other descriptor, no variable but these, and no signal handling.
// When the thread that starts it ends, so does the process.
struct ProcessCommand {
  std::string program;
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // NAME=value
};

// The descriptors have these numbers in it: the first is kSegmentDescriptor. Null when the system
// refuses.
std::unique_ptr<ProcessHandle> Spawn(ProcessCommand& command, const std::vector<int>& passed);

// A child of this process that somebody else has started. Null when it cannot be watched; it is
// killed then.
std::unique_ptr<ProcessHandle> Adopt(int id);

Launcher SpawnLauncher(ProcessCommand command);

}  // namespace isobox
