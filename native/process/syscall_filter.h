#pragma once
// The system calls that a guest process may make, as a program for the kernel. The table in
// syscall_filter.cc gives the reason for each.

#include <linux/filter.h>

#include <vector>

namespace isobox {

// For the calling process: signals to itself are told from those to others by its id.
std::vector<sock_filter> SyscallFilter();

}  // namespace isobox
