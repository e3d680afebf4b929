#pragma once
// The guest's global object and bindings, from a plan. Worker thread, isolate entered.

#include "native/core/run_types.h"
#include "native/guest/call_bridge.h"
#include "native/guest/guest_scope.h"

namespace isobox::realm {

// What every plan has in common, done ahead of the run.
void Prepare(const GuestScope& scope);
// Makes V8 touch what a first run needs, so that the run itself does not wait for it.
void Rehearse(const GuestScope& scope);

// False when a name in the plan cannot be bound; an exception is pending then.
bool Apply(const GuestScope& scope, const RealmPlan& plan, CallBridge& bridge);

}  // namespace isobox::realm
