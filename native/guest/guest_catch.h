#pragma once
// Catches what the guest throws whose scope it is given. Stack only.

#include "native/guest/guest_scope.h"
#include "native/values/stop_catch.h"

namespace isobox {

class GuestCatch final : public StopCatch {
 public:
  explicit GuestCatch(const GuestScope& scope) : StopCatch(scope.isolate(), scope.stop()) {}
};

}  // namespace isobox
