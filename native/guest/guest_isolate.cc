#include "native/guest/guest_isolate.h"

#include "native/guest/icu_memory.h"
#include "native/guest/platform.h"
#include "native/values/stack_room.h"

namespace isobox {
namespace {

constexpr uint32_t kSelfSlot = 0;

// V8 aborts the process when a single allocation finds no room under its own limit, so that limit
// is this much above the guest's, which is held by looking: after collections, at intervals, and at
// the end of a turn.
constexpr size_t kHeadroomBytes = size_t{3} << 29U;

// The limit an isolate is made with. From 2 GiB on V8 touches half a MiB more in each of them; a
// run raises the limit when it begins.
constexpr size_t kOldBytesBeforeRun = size_t{3} << 29U;

// Until the old generation has this size V8 lets it grow; after that it follows what lives.
constexpr size_t kInitialOldBytes = size_t{16} << 20U;

// A stopped guest inside a builtin that V8 cannot interrupt may go on allocating. Most come back
// soon; one that has taken this much more is held where it is.
constexpr uint64_t kStoppedBytes = uint64_t{512} << 20U;

constexpr int kStackFrames = 16;
// There is one origin per guest, so the last of them hides nothing. It has V8 capture frames by
// themselves: made from what Error.stackTraceLimit asks for, V8 14 fails when that is Infinity.
constexpr auto kStackOptions = static_cast<v8::StackTrace::StackTraceOptions>(
    v8::StackTrace::kDetailed | v8::StackTrace::kExposeFramesAcrossSecurityOrigins);

// Whose turn it is on this thread.
thread_local GuestIsolate* in_turn = nullptr;

}  // namespace

GuestIsolate::GuestIsolate() : meter_(std::make_shared<MemoryMeter>()) {
  v8::Isolate::CreateParams params;
  params.array_buffer_allocator_shared = meter_;
  params.constraints.set_max_young_generation_size_in_bytes(kMaxYoungBytes);
  params.constraints.set_initial_old_generation_size_in_bytes(kInitialOldBytes);
  params.constraints.set_max_old_generation_size_in_bytes(kOldBytesBeforeRun);
  params.allow_atomics_wait = false;
  isolate_ = platform::NewIsolate(params);
  isolate_->SetData(kSelfSlot, this);
  isolate_->SetFatalErrorHandler(OnFatalError);
  isolate_->SetOOMErrorHandler(OnOutOfMemory);
  // With --abort-on-uncaught-exception Node means its own exceptions, not those of guests.
  isolate_->SetAbortOnUncaughtExceptionCallback([](v8::Isolate* /*isolate*/) { return false; });
  isolate_->SetMicrotasksPolicy(v8::MicrotasksPolicy::kExplicit);
  isolate_->SetCaptureStackTraceForUncaughtExceptions(true, kStackFrames, kStackOptions);
  {
    const v8::Locker locker(isolate_);
    const v8::Isolate::Scope isolate_scope(isolate_);
    const v8::HandleScope handle_scope(isolate_);
    // Without a listener V8 prints what a microtask throws to the host's output.
    isolate_->AddMessageListener([](v8::Local<v8::Message>, v8::Local<v8::Value>) {});
    context_.Reset(isolate_, v8::Context::New(isolate_));
  }
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

void GuestIsolate::LoseThreadOfGuest() {
  if (in_turn != nullptr) in_turn->LoseThread(StopCause::kCrashed);
}

void GuestIsolate::LoseThread(StopCause cause) {
  if (owner_ != nullptr) owner_->LoseThread(cause);
}

void GuestIsolate::set_parts(Parts parts) {
  parts_ = parts;
  in_turn = parts.scope != nullptr ? this : nullptr;
  icu_memory::SetPayer(in_turn != nullptr ? meter_.get() : nullptr);
}

void GuestIsolate::Limit(const GuestScope& scope, uint64_t bytes, RunLedger& ledger,
                         GuestOwner& owner) {
  ledger_ = &ledger;
  owner_ = &owner;
  meter_->set_limit(bytes);
  meter_->OnRefusal(OnRefusal, this);
  // The first raises the limit of a live isolate to four times the one it was made with; removing a
  // callback with a limit lowers it.
  v8::Isolate* const isolate = scope.isolate();
  isolate->IncreaseHeapLimitForDebugging();
  static_assert(4 * kOldBytesBeforeRun >= kMaxOldBytes + kHeadroomBytes);
  isolate->AddNearHeapLimitCallback(OnNearHeapLimit, this);
  isolate->RemoveNearHeapLimitCallback(OnNearHeapLimit, bytes + kHeadroomBytes);
  isolate->AddNearHeapLimitCallback(OnNearHeapLimit, this);
  isolate->AddGCEpilogueCallback(OnGarbageCollected, this);
}

void GuestIsolate::MeasureHeap() {
  v8::HeapStatistics statistics;
  isolate_->GetHeapStatistics(&statistics);
  meter_->ReportHeap(statistics.used_heap_size(), statistics.malloced_memory());
}

void GuestIsolate::SampleMemory() {
  // One at a time: a guest inside a long builtin does not see them until it is out.
  if (!is_sampling_.exchange(true)) isolate_->RequestInterrupt(OnSample, this);
}

void GuestIsolate::OnSample(v8::Isolate* /*isolate*/, void* data) {
  auto* const self = static_cast<GuestIsolate*>(data);
  self->is_sampling_ = false;
  self->CheckMemory();
  const GuestScope* const scope = self->parts_.scope;
  // Half for the text that V8 writes, and half for the string it makes of it.
  if (!self->is_over_limit_ && scope != nullptr &&
      self->json_.IsWritingMoreThan(*scope, self->meter_->limit() / 2)) {
    self->ReportOverLimit();
  }
}

void GuestIsolate::Refuse() {
  ReportOverLimit();
  // Nothing of V8 runs in a guest that is being terminated.
  HasStackRoom(isolate_->GetCurrentContext());
}

void GuestIsolate::CheckMemory() {
  if (is_over_limit_) return;
  next_check_ = Clock::now() + kCheckInterval;
  if (meter_->WasRefused()) return ReportOverLimit();
  MeasureHeap();
  if (!meter_->IsOverLimit()) return;
  // Critical pressure collects at once; the epilogue below measures what is left.
  isolate_->MemoryPressureNotification(v8::MemoryPressureLevel::kCritical);
  isolate_->MemoryPressureNotification(v8::MemoryPressureLevel::kNone);
  MeasureHeap();
  if (meter_->IsOverLimit()) ReportOverLimit();
}

void GuestIsolate::HoldIfGrowing() {
  if (meter_->InUse() > bytes_when_over_ + kStoppedBytes) LoseThread(StopCause::kMemory);
}

void GuestIsolate::ReportOverLimit() {
  is_over_limit_ = true;
  bytes_when_over_ = meter_->InUse();
  if (owner_ == nullptr) return;
  ledger_->NotePeakMemory(meter_->peak());
  owner_->StopGuest(StopCause::kMemory);
}

size_t GuestIsolate::OnNearHeapLimit(void* data, size_t current_limit, size_t /*initial_limit*/) {
  static_cast<GuestIsolate*>(data)->ReportOverLimit();
  return current_limit + kHeadroomBytes;
}

void GuestIsolate::OnGarbageCollected(v8::Isolate* /*isolate*/, v8::GCType type,
                                      v8::GCCallbackFlags /*flags*/, void* data) {
  auto* const self = static_cast<GuestIsolate*>(data);
  self->MeasureHeap();
  if (!self->meter_->IsOverLimit()) return;
  if (self->is_over_limit_) return self->HoldIfGrowing();
  // Only a full collection tells garbage from what the guest holds.
  if (type == v8::kGCTypeMarkSweepCompact) {
    self->ReportOverLimit();
  } else {
    self->SampleMemory();
  }
}

void GuestIsolate::OnRefusal(void* data) { static_cast<GuestIsolate*>(data)->SampleMemory(); }

void GuestIsolate::OnFatalError(const char* /*location*/, const char* /*message*/) {
  GuestIsolate* const self = Current();
  if (self != nullptr) self->LoseThread(StopCause::kCrashed);
}

void GuestIsolate::OnOutOfMemory(const char* /*location*/, const v8::OOMDetails& /*details*/) {
  GuestIsolate* const self = Current();
  if (self != nullptr) self->LoseThread(StopCause::kMemory);
}

}  // namespace isobox
