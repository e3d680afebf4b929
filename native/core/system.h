#pragma once
// What systems do in different ways, with a fallback where one does not do it at all. The one place
// outside native/process that asks which system this is.

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace isobox::system {

// Shown by debuggers; at most 15 characters.
void NameThisThread(const char* name);

// Of the calling thread, as the scheduler knows it; 0 where it does not.
int ThisThreadId();

// Of a thread, by that id, for good. Nothing where threads have no priorities of their own.
void LowerPriority(int thread_id);

// Used so far by a thread that has not ended; 0 when it cannot be read.
uint64_t CpuTimeUs(pthread_t thread);

// What the C library keeps for a block that malloc gave.
size_t AllocatedBytes(void* memory);

// Gives back to the system what the C library keeps for later use.
void ReturnFreedMemory();

// Memory of this process; 0 where the system does not say.
uint64_t ResidentBytes();

// Bytes in the pages that the calling thread was the first to touch, ever. 0 where they say
// nothing: where one page may be a huge one, or threads are not counted apart.
uint64_t TouchedBytes();

}  // namespace isobox::system
