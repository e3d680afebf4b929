#include "native/process/zygote.h"

#include <linux/sched.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

namespace isobox {
namespace {

// What the zygote says to the host of a new process.
struct Birth {
  int32_t id = 0;
  bool inherits = false;
};

// A segment, a wake, and where the new process reports.
constexpr size_t kPassed = 3;

struct SocketPair {
  Descriptor here;
  Descriptor there;
};

std::optional<SocketPair> MakeSockets() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
  return SocketPair{Descriptor(ends[0]), Descriptor(ends[1])};
}

struct Passing {
  Passing() {
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  char byte = 0;
  iovec text{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kPassed * sizeof(int))> control{};
  msghdr message{};
};

bool Pass(int socket, const std::array<int, kPassed>& descriptors) {
  Passing passing;
  cmsghdr* const header = CMSG_FIRSTHDR(&passing.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
  return sendmsg(socket, &passing.message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

// Empty when the other side is gone.
std::optional<std::array<int, kPassed>> Receive(int socket) {
  Passing passing;
  ssize_t size = 0;
  do {
    size = recvmsg(socket, &passing.message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  const cmsghdr* const header = CMSG_FIRSTHDR(&passing.message);
  std::array<int, kPassed> descriptors{};
  if (size != 1 || header == nullptr || header->cmsg_len != CMSG_LEN(sizeof descriptors)) {
    return std::nullopt;
  }
  std::memcpy(descriptors.data(), CMSG_DATA(header), sizeof descriptors);
  return descriptors;
}

struct Zygote {
  Descriptor control;
  std::unique_ptr<ProcessHandle> process;
  bool is_given_up = false;
};

// A process that the zygote makes. It waits until the host has heard which one it is, and ends when
// nobody does.
class ForkedProcess final : public ProcessHandle {
 public:
  ForkedProcess(std::shared_ptr<Zygote> zygote, Descriptor report)
      : zygote_(std::move(zygote)), report_(std::move(report)) {
    Watch(report_.number());
  }

  int descriptor() const override { return events_.number(); }
  bool HasEnded() override {
    if (!process_ && !is_gone_) Hear();
    return is_gone_ || (process_ && process_->HasEnded());
  }
  void Kill() override {
    if (process_) return process_->Kill();
    is_gone_ = true;
    // Whoever is not born by now has a zygote that is gone, or does not answer.
    zygote_->is_given_up = true;
    // Shut, it is readable from now on, which is how the end of a process is told.
    shutdown(report_.number(), SHUT_RDWR);
  }
  uint64_t MemoryInUse() override { return process_ ? process_->MemoryInUse() : 0; }
  bool Inherits() const override { return inherits_; }

 private:
  void Watch(int descriptor) const {
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(events_.number(), EPOLL_CTL_ADD, descriptor, &event);
  }
  void Hear() {
    Birth birth;
    const ssize_t size = recv(report_.number(), &birth, sizeof birth, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size == sizeof birth) process_ = Adopt(birth.id);
    if (!process_) return Kill();
    inherits_ = birth.inherits;
    Watch(process_->descriptor());
    const char heard = 1;
    send(report_.number(), &heard, sizeof heard, MSG_DONTWAIT | MSG_NOSIGNAL);
    report_ = Descriptor();
  }

  const std::shared_ptr<Zygote> zygote_;  // shared by the processes that it makes
  const Descriptor events_{epoll_create1(EPOLL_CLOEXEC)};
  Descriptor report_;
  std::unique_ptr<ProcessHandle> process_;
  bool inherits_ = false;
  bool is_gone_ = false;
};

std::shared_ptr<Zygote> StartZygote(ProcessCommand& command) {
  auto control = MakeSockets();
  if (!control) return nullptr;
  auto process = Spawn(command, {control->there.number()});
  if (!process) return nullptr;
  return std::make_shared<Zygote>(Zygote{std::move(control->here), std::move(process)});
}

// As fork, though the parent of the new process is that of this one. The C library has no such
// function; its own threads and locks are at rest here.
long ForkForParent() {
  return syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, 0);
}

void Begin(int host, const Descriptor& report) {
  prctl(PR_SET_NAME, "isobox-guests");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != host) _exit(0);
  char heard = 0;
  if (recv(report.number(), &heard, sizeof heard, 0) != sizeof heard) _exit(0);
}

}  // namespace

Launcher ZygoteLauncher(ProcessCommand command) {
  return [command = std::move(command), last = std::weak_ptr<Zygote>()](
             const SharedSegment& segment, int wake) mutable -> std::unique_ptr<ProcessHandle> {
    auto report = MakeSockets();
    if (!report) return nullptr;
    const std::array<int, kPassed> passed{segment.descriptor(), wake, report->there.number()};
    auto zygote = last.lock();
    if (!zygote || zygote->is_given_up || !Pass(zygote->control.number(), passed)) {
      zygote = StartZygote(command);
      if (!zygote || !Pass(zygote->control.number(), passed)) return nullptr;
      last = zygote;
    }
    return std::make_unique<ForkedProcess>(std::move(zygote), std::move(report->here));
  };
}

namespace zygote {

void Serve(int host, bool inherits, const std::function<void(Charge)>& serve) {
  prctl(PR_SET_NAME, "isobox-zygote");
  Descriptor control(kSegmentDescriptor);
  while (const auto passed = Receive(control.number())) {
    Charge charge{Descriptor(passed->at(0)), Descriptor(passed->at(1))};
    Descriptor report(passed->at(2));
    if (const long id = ForkForParent(); id != 0) {
      // Told here, the host knows the new process even when that one is stopped at once.
      const Birth birth{static_cast<int32_t>(id), inherits};
      if (id > 0) send(report.number(), &birth, sizeof birth, MSG_NOSIGNAL);
      continue;
    }
    control = Descriptor();
    Begin(host, report);
    report = Descriptor();
    serve(std::move(charge));
    _exit(1);
  }
  _exit(0);
}

void PassOnMemory() {
  std::ifstream maps("/proc/self/maps");
  // 7f00-7f10 rw-p …: the fourth letter of the rights tells private mappings.
  for (std::string range, rights, rest; maps >> range >> rights && std::getline(maps, rest);) {
    uintptr_t start = 0;
    uintptr_t end = 0;
    const char* const last = range.data() + range.size();
    const auto first = std::from_chars(range.data(), last, start, 16);
    if (first.ptr == last || rights.size() != 4 || rights[3] != 'p') continue;
    std::from_chars(first.ptr + 1, last, end, 16);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the system tells addresses as text
    madvise(reinterpret_cast<void*>(start), end - start, MADV_DOFORK);
  }
}

std::vector<std::string> Rehearse(const std::function<std::string()>& act) {
  constexpr int kPatienceMs = 5000;
  std::vector<std::string> answers;
  for (int i = 0; i < 2; ++i) {
    auto sockets = MakeSockets();
    if (!sockets) return {};
    const auto id = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0));
    if (id < 0) return {};
    if (id == 0) {
      const std::string answer = act();
      send(sockets->there.number(), answer.data(), answer.size(), MSG_NOSIGNAL);
      _exit(0);
    }
    sockets->there = Descriptor();
    pollfd ready{sockets->here.number(), POLLIN, 0};
    std::array<char, 256> answer{};
    const bool is_in_time = poll(&ready, 1, kPatienceMs) == 1;
    const ssize_t size =
        is_in_time ? recv(sockets->here.number(), answer.data(), answer.size(), MSG_DONTWAIT) : 0;
    kill(id, SIGKILL);
    waitpid(id, nullptr, 0);
    if (size <= 0) return {};
    answers.emplace_back(answer.data(), static_cast<size_t>(size));
  }
  return answers;
}

}  // namespace zygote
}  // namespace isobox
