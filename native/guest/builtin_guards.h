#pragma once
// Builtins that take memory outside V8's heap, where nobody counts it, without letting themselves
// be interrupted. Functions that look before they call take their place, which guests do not
// notice.

#include "native/guest/guest_scope.h"

namespace isobox::builtin_guards {

// Puts the guards in the builtins' places, in a context that has run nothing else.
void Install(const GuestScope& scope);

}  // namespace isobox::builtin_guards
