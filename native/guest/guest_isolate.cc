#include "native/guest/guest_isolate.h"

#include <algorithm>

#include "native/guest/guest_realm.h"
#include "native/guest/platform.h"

namespace isobox {
namespace {

constexpr uint32_t kSelfSlot = 0;

// A single allocation that passes the limit must find room, or V8 aborts the process; the guest is
// stopped before it can use it.
constexpr size_t kHeadroomBytes = size_t{3} << 29U;

constexpr int kStackFrames = 16;

}  // namespace

GuestIsolate::GuestIsolate(Readiness readiness) : meter_(std::make_shared<MemoryMeter>()) {
  v8::Isolate::CreateParams params;
  params.array_buffer_allocator_shared = meter_;
  params.constraints.set_max_young_generation_size_in_bytes(kMaxYoungBytes);
  params.constraints.set_max_old_generation_size_in_bytes(kMaxOldBytes);
  params.allow_atomics_wait = false;
  isolate_ = platform::NewIsolate(params);
  isolate_->SetData(kSelfSlot, this);
  isolate_->SetFatalErrorHandler(OnFatalError);
  isolate_->SetOOMErrorHandler(OnOutOfMemory);
  isolate_->SetMicrotasksPolicy(v8::MicrotasksPolicy::kExplicit);
  isolate_->SetCaptureStackTraceForUncaughtExceptions(true, kStackFrames,
                                                      v8::StackTrace::kDetailed);
  {
    const v8::Locker locker(isolate_);
    const v8::Isolate::Scope isolate_scope(isolate_);
    const v8::HandleScope handle_scope(isolate_);
    context_.Reset(isolate_, v8::Context::New(isolate_));
  }
  const GuestScope scope(isolate_, context_);
  realm::Prepare(scope);
  if (readiness == Readiness::kAhead) realm::Rehearse(scope);
}

GuestIsolate::~GuestIsolate() {
  {
    const v8::Locker locker(isolate_);
    const v8::Isolate::Scope isolate_scope(isolate_);
    context_.Reset();
  }
  platform::DisposeIsolate(isolate_);
}

GuestIsolate* GuestIsolate::Current() {
  return static_cast<GuestIsolate*>(v8::Isolate::GetCurrent()->GetData(kSelfSlot));
}

void GuestIsolate::Limit(const GuestScope& scope, uint64_t bytes, GuestWarden& warden) {
  warden_ = &warden;
  meter_->set_limit(bytes);
  meter_->OnRefusal(OnRefusal, this);
  MeasureHeap();
  // Removing a callback with a limit lowers the limit of a live isolate; the young generation comes
  // on top of it.
  const size_t old_bytes =
      bytes > 2 * kMaxYoungBytes ? bytes - kMaxYoungBytes : std::max<uint64_t>(bytes / 2, 1);
  v8::Isolate* const isolate = scope.isolate();
  isolate->AddNearHeapLimitCallback(OnNearHeapLimit, this);
  isolate->RemoveNearHeapLimitCallback(OnNearHeapLimit, old_bytes);
  isolate->AddNearHeapLimitCallback(OnNearHeapLimit, this);
  isolate->AddGCEpilogueCallback(OnGarbageCollected, this);
}

void GuestIsolate::MeasureHeap() {
  v8::HeapStatistics statistics;
  isolate_->GetHeapStatistics(&statistics);
  meter_->ReportHeap(statistics.used_heap_size());
}

void GuestIsolate::CheckMemory(const GuestScope& /*scope*/) {
  if (meter_->WasRefused()) return ReportOverLimit();
  MeasureHeap();
  if (!meter_->IsOverLimit()) return;
  isolate_->LowMemoryNotification();
  MeasureHeap();
  if (meter_->IsOverLimit()) ReportOverLimit();
}

void GuestIsolate::ReportOverLimit() {
  if (warden_ != nullptr) warden_->OnOverLimit();
}

size_t GuestIsolate::OnNearHeapLimit(void* data, size_t current_limit, size_t /*initial_limit*/) {
  static_cast<GuestIsolate*>(data)->ReportOverLimit();
  return current_limit + kHeadroomBytes;
}

void GuestIsolate::OnGarbageCollected(v8::Isolate* /*isolate*/, v8::GCType type,
                                      v8::GCCallbackFlags /*flags*/, void* data) {
  auto* const self = static_cast<GuestIsolate*>(data);
  self->MeasureHeap();
  // Only a full collection tells garbage from what the guest holds.
  if (type == v8::kGCTypeMarkSweepCompact && self->meter_->IsOverLimit()) self->ReportOverLimit();
}

void GuestIsolate::OnRefusal(void* data) {
  auto* const self = static_cast<GuestIsolate*>(data);
  self->isolate_->RequestInterrupt(OnRefusalInterrupt, self);
}

void GuestIsolate::OnRefusalInterrupt(v8::Isolate* /*isolate*/, void* data) {
  auto* const self = static_cast<GuestIsolate*>(data);
  if (self->meter_->WasRefused()) self->ReportOverLimit();
}

void GuestIsolate::OnFatalError(const char* /*location*/, const char* /*message*/) {
  GuestIsolate* const self = Current();
  if (self != nullptr && self->warden_ != nullptr) self->warden_->OnFatal(StopCause::kCrashed);
}

void GuestIsolate::OnOutOfMemory(const char* /*location*/, const v8::OOMDetails& /*details*/) {
  GuestIsolate* const self = Current();
  if (self != nullptr && self->warden_ != nullptr) self->warden_->OnFatal(StopCause::kMemory);
}

}  // namespace isobox
