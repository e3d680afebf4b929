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

Launcher SpawnLauncher(ProcessCommand command);

}  // namespace isobox
