#pragma once
// What ICU allocates while a guest runs, counted for that guest: V8 keeps the objects behind `Intl`
// outside its heap and does not know their size.

#include <string>

#include "native/guest/memory_meter.h"

namespace isobox::icu_memory {

// Has ICU allocate through here. `version` is process.versions.icu; where Node was built without
// ICU, or hides it, nothing is counted. Once, before there are guests.
void Count(const std::string& version);

// Who pays for what this thread allocates; null for nobody.
void SetPayer(MemoryMeter* meter);

}  // namespace isobox::icu_memory
