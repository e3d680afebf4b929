#include "native/process/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <utility>

#include "native/core/descriptor_seal.h"

namespace isobox {
namespace {

// Later headers name it; its number is the same on every processor.
constexpr long kOpenProcessDescriptor = 434;

class SpawnedProcess final : public ProcessHandle {
 public:
  SpawnedProcess(pid_t id, Descriptor descriptor) : id_(id), descriptor_(std::move(descriptor)) {}
  // A killed process ends soon, and is nobody's afterwards.
  ~SpawnedProcess() override {
    Kill();
    while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR)
      continue;
  }

  int descriptor() const override { return descriptor_.number(); }
  bool HasEnded() override {
    pollfd exit{descriptor_.number(), POLLIN, 0};
    return poll(&exit, 1, 0) > 0;
  }
  // Not reaped yet, so the number is still its own.
  void Kill() override { kill(id_, SIGKILL); }
  uint64_t MemoryInUse() override {
    std::ifstream pages("/proc/" + std::to_string(id_) + "/statm");
    uint64_t mapped = 0;
    uint64_t resident = 0;
    pages >> mapped >> resident;
    return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }

 private:
  const pid_t id_;
  const Descriptor descriptor_;
};

std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What the new process does between being made and becoming its program.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

}  // namespace

std::unique_ptr<ProcessHandle> Adopt(int id) {
  Descriptor descriptor(static_cast<int>(syscall(kOpenProcessDescriptor, id, 0)));
  auto process = std::make_unique<SpawnedProcess>(id, std::move(descriptor));
  if (process->descriptor() < 0) return nullptr;  // which kills and reaps it
  return process;
}

std::unique_ptr<ProcessHandle> Spawn(ProcessCommand& command, const std::vector<int>& passed) {
  // Above the places they are to have, so that none is overwritten before it is passed on.
  const int free = kSegmentDescriptor + static_cast<int>(passed.size());
  std::vector<Descriptor> copies;
  SpawnPlan plan;
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&plan.actions, standard, "/dev/null", O_RDWR, 0);
  for (size_t i = 0; i < passed.size(); ++i) {
    copies.emplace_back(fcntl(passed[i], F_DUPFD_CLOEXEC, free));
    if (!copies.back().IsOpen()) return nullptr;
    posix_spawn_file_actions_adddup2(&plan.actions, copies.back().number(),
                                     kSegmentDescriptor + static_cast<int>(i));
  }
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&plan.attributes, &none);
  posix_spawnattr_setsigdefault(&plan.attributes, &all);
  posix_spawnattr_setpgroup(&plan.attributes, 0);
  // A group of its own: a terminal's interrupt is for the host, which ends its processes itself.
  posix_spawnattr_setflags(&plan.attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  auto arguments = PointersTo(command.arguments);
  arguments.insert(arguments.begin(), command.program.data());
  auto environment = PointersTo(command.environment);
  pid_t id = 0;
  {
    const DescriptorSeal seal;
    if (posix_spawn(&id, command.program.c_str(), &plan.actions, &plan.attributes, arguments.data(),
                    environment.data()) != 0) {
      return nullptr;
    }
  }
  return Adopt(id);
}

Launcher SpawnLauncher(ProcessCommand command) {
  return [command = std::move(command)](const SharedSegment& segment, int wake) mutable {
    return Spawn(command, {segment.descriptor(), wake});
  };
}

}  // namespace isobox
