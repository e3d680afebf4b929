#pragma once
// Marks on error objects that guest code can neither see nor forge: they tell errors the host made
// from everything a guest throws. Worker thread, isolate entered.

#include <optional>
#include <string>

#include "native/core/run_types.h"
#include "native/guest/guest_scope.h"

namespace isobox::error_marks {

struct Mark {
  StopCause cause = StopCause::kGuestError;  // how a run ends when nobody catches the error
  HostError error;
  // For link errors: the import that failed, and where.
  std::string specifier;
  std::string filename;
  int line = 0;
  int column = 0;
};

// A real Error of the guest's realm that carries the mark.
v8::Local<v8::Value> MakeError(const GuestScope& scope, const Mark& mark);
v8::Local<v8::Value> MakeHostError(const GuestScope& scope, const HostError& error);

// Empty for errors the guest made.
std::optional<Mark> Find(const GuestScope& scope, v8::Local<v8::Value> value);

}  // namespace isobox::error_marks
