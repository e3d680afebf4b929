#pragma once
// Marks on error objects that guest code can neither see nor forge: they tell errors the host made
// from everything a guest throws. Worker thread, isolate entered.

#include <string>
#include <utility>
#include <vector>

#include "native/core/run_types.h"
#include "native/guest/guest_scope.h"

namespace isobox {

class ErrorMarks {
 public:
  struct Mark {
    StopCause cause = StopCause::kGuestError;  // how a run ends when nobody catches the error
    HostError error;
    std::string specifier;
  };

  // A real Error of the guest's realm that carries the mark.
  v8::Local<v8::Value> MakeError(const GuestScope& scope, Mark mark);

  v8::Local<v8::Value> MakeHostError(const GuestScope& scope, HostError error) {
    return MakeError(scope, {StopCause::kGuestError, std::move(error), {}});
  }

  // Null for errors the guest made.
  const Mark* Find(const GuestScope& scope, v8::Local<v8::Value> value) const;

 private:
  static v8::Local<v8::Private> Key(const GuestScope& scope);
  std::vector<Mark> marks_;
};

}  // namespace isobox
