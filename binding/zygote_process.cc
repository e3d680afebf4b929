#include "binding/zygote_process.h"

#include <unistd.h>

#ifdef __linux__
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/random.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "binding/process_host.h"
#include "native/core/guarded.h"
#include "native/core/pool.h"
#include "native/guest/isolate_guest.h"
#include "native/process/spawn.h"
#include "native/process/zygote.h"
#endif

namespace isobox::zygote_process {

#ifdef __linux__

namespace {

using Shelf = std::vector<std::unique_ptr<IsolateGuest>>;

// Gives out what was inherited, each with random numbers of its own, and makes more when that is
// used up. Any thread.
GuestFactory Inherit(Shelf shelf) {
  auto rest = std::make_shared<Guarded<Shelf>>(std::in_place, std::move(shelf));
  return [rest](Readiness readiness) -> std::unique_ptr<Guest> {
    {
      // Held until the guest is reseeded: what is made afterwards draws after the last of them.
      auto left = rest->Lock();
      uint64_t random = 0;
      if (!left->empty() && getrandom(&random, sizeof random, 0) == sizeof random) {
        auto guest = std::move(left->back());
        left->pop_back();
        guest->Reseed(random);
        return guest;
      }
    }
    return std::make_unique<IsolateGuest>(readiness);
  };
}

// Keeps the outcome of one run.
class OutcomeChannel final : public HostChannel {
 public:
  void PostCall(CallEvent /*event*/) override {}
  void PostInvoked(InvokedEvent /*event*/) override {}
  void PostLog(RunId /*run*/, LogEntry /*entry*/) override {}
  void PostOutcome(RunId /*run*/, RunOutcome outcome) override {
    *outcome_.Lock() = std::move(outcome);
    changed_.notify_all();
  }
  void PostWarm(uint64_t /*request*/) override {}
  void PostClosed() override {}

  RunOutcome Wait() {
    auto outcome = outcome_.Lock();
    while (outcome->cause == StopCause::kNone)
      outcome.Wait(changed_);
    return std::move(*outcome);
  }

 private:
  Guarded<RunOutcome> outcome_;
  std::condition_variable changed_;
};

// Something of everything that a forked isolate has to do: garbage, optimized code, a regular
// expression. The random number at the end is another in every process.
constexpr auto kRehearsal = R"(
  let sum = 0;
  for (let i = 0; i < 200_000; i++) sum += [i % 7, { i }].length;
  return `${sum} ${/a+/.exec('caat')[0]}:${Math.random()}`)";

std::string RunRehearsal(Shelf& shelf) {
  auto channel = std::make_shared<OutcomeChannel>();
  auto pool = Pool::Create({}, Inherit(std::move(shelf)), channel);
  RunRequest request;
  request.id = 1;
  request.source = kRehearsal;
  pool->Start(std::move(request));
  const RunOutcome outcome = channel->Wait();
  return outcome.cause == StopCause::kFinished ? outcome.value.bytes : std::string();
}

bool SurvivesForking(Shelf& shelf) {
  const auto answers = zygote::Rehearse([&shelf] { return RunRehearsal(shelf); });
  if (answers.size() != 2) return false;
  const auto head = [](const std::string& answer) { return answer.substr(0, answer.find(':')); };
  return head(answers[0]).ends_with("400000 aa") && head(answers[0]) == head(answers[1]) &&
         answers[0] != answers[1];
}

// Becomes the program of a guest process.
[[noreturn]] void StartProgram(std::vector<std::string> arguments, const zygote::Charge& charge) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  // Above the places they are to have.
  constexpr int kFree = 64;
  const int segment = fcntl(charge.segment.number(), F_DUPFD_CLOEXEC, kFree);
  const int wake = fcntl(charge.wake.number(), F_DUPFD_CLOEXEC, kFree);
  dup2(segment, kSegmentDescriptor);
  dup2(wake, kWakeDescriptor);
  execv(pointers.front(), pointers.data());
  _exit(1);
}

}  // namespace

void Serve(const Napi::CallbackInfo& info) {
  const int host = info[0].As<Napi::Number>().Int32Value();
  const std::string sandbox = info[1].As<Napi::String>().Utf8Value();
  const uint32_t isolates = info[2].As<Napi::Number>().Uint32Value();
  process_host::BeginLife(host);
  Shelf shelf;
  for (uint32_t i = 0; i < isolates; ++i)
    shelf.push_back(std::make_unique<IsolateGuest>(Readiness::kAhead));
  zygote::PassOnMemory();
  const bool inherits = SurvivesForking(shelf);
  const std::vector<std::string> program{info[3].As<Napi::String>().Utf8Value(),
                                         info[4].As<Napi::String>().Utf8Value(),
                                         std::to_string(host), sandbox};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  zygote::Serve(host, inherits, [&](zygote::Charge charge) {
    if (!inherits) StartProgram(program, charge);
    process_host::ServeFrames(charge.segment.Release(), charge.wake.Release(), sandbox,
                              Inherit(std::move(shelf)));
  });
}

#else

void Serve(const Napi::CallbackInfo& /*info*/) { _exit(1); }

#endif

}  // namespace isobox::zygote_process
