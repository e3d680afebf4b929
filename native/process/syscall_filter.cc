#include "native/process/syscall_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace isobox {
namespace {

// One argument that a call is only admitted with: its low half, masked, is this. The high half is
// zero.
struct Condition {
  uint8_t argument = 0;
  uint32_t mask = 0xffffffff;
  uint32_t value = 0;
};

struct Admitted {
  int number = 0;
  std::vector<Condition> conditions;  // all of them hold
};

// Clone may make threads of this process and nothing else.
constexpr uint32_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr uint32_t kThread = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND;

std::vector<Admitted> AdmittedCalls() {
  return {
      // Threads wait for each other, and for frames of the host.
      {SYS_futex, {}},
      // Wakes the host, and helpers of Node's: the process has no descriptors but those.
      {SYS_write, {}},
      {SYS_read, {}},
      // V8's heaps and code, the C library's memory, stacks of threads.
      {SYS_mmap, {}},
      {SYS_munmap, {}},
      {SYS_mremap, {}},
      {SYS_mprotect, {}},
      {SYS_madvise, {}},
      {SYS_brk, {}},
      {SYS_pkey_mprotect, {}},  // V8 guards its code with keys where the processor has them
      {SYS_pkey_alloc, {}},
      {SYS_pkey_free, {}},
      {SYS_get_mempolicy, {}},  // asked by allocators, changes nothing
      // What time it is, how much of it was used, and waiting for a while.
      {SYS_clock_gettime, {}},
      {SYS_clock_getres, {}},
      {SYS_clock_nanosleep, {}},
      {SYS_nanosleep, {}},
      {SYS_gettimeofday, {}},
      {SYS_getrusage, {}},
      {SYS_times, {}},
      // Seeds of Math.random and of hashes.
      {SYS_getrandom, {}},
      // Threads of this process: those of a pool that were lost are replaced.
      {SYS_clone, {{0, kThread | kNewNamespaces, kThread}}},
      {SYS_set_robust_list, {}},
      {SYS_rseq, {}},
      {SYS_membarrier, {}},  // V8, when it changes code
      {SYS_sched_yield, {}},
      {SYS_sched_getaffinity, {}},
      {SYS_getcpu, {}},
      {SYS_gettid, {}},
      {SYS_getpid, {}},
      {SYS_prctl, {{0, 0xffffffff, PR_SET_NAME}}},
      {SYS_exit, {}},
      {SYS_exit_group, {}},
      // Sizes of stacks are read from the limits; none is set.
      {SYS_prlimit64, {{0, 0xffffffff, 0}, {2, 0xffffffff, 0}}},
      // Signals that the process gets, and sends itself when it aborts.
      {SYS_rt_sigaction, {}},
      {SYS_rt_sigprocmask, {}},
      {SYS_rt_sigreturn, {}},
      {SYS_sigaltstack, {}},
      {SYS_tgkill, {{0, 0xffffffff, static_cast<uint32_t>(getpid())}}},
      {SYS_restart_syscall, {}},
      // A thread whose isolate cannot go on is held for ever; not on all processors by this name.
      {SYS_ppoll, {}},
#ifdef SYS_pause
      {SYS_pause, {}},
      {SYS_time, {}},
      {SYS_poll, {}},
      {SYS_epoll_wait, {}},
#endif
      // The thread of Node's that runs V8's delayed tasks.
      {SYS_epoll_pwait, {}},
      {SYS_epoll_ctl, {}},
      {SYS_close, {}},
      // What machine this is: no more than guests can find out by computing.
      {SYS_uname, {}},
      {SYS_sysinfo, {}},
  };
}

// What nothing in this process does by mistake: whoever tries has taken it over.
std::vector<int> FatalCalls() {
  return {
#ifdef SYS_fork
      SYS_fork,
      SYS_vfork,
#endif
      SYS_execve,
      SYS_execveat,
      SYS_ptrace,
      SYS_process_vm_readv,
      SYS_process_vm_writev,
      SYS_socket,
      SYS_socketpair,
      SYS_connect,
      SYS_bind,
      SYS_listen,
      SYS_accept4,
      SYS_bpf,
      SYS_unshare,
      SYS_setns,
      SYS_mount,
      SYS_umount2,
      SYS_pivot_root,
      SYS_chroot,
      SYS_init_module,
      SYS_finit_module,
      SYS_kexec_load,
      SYS_perf_event_open,
      SYS_userfaultfd,
      SYS_keyctl,
      SYS_add_key,
      SYS_request_key,
      SYS_open_by_handle_at,
      SYS_kill,
      SYS_tkill,
      SYS_rt_sigqueueinfo,
      SYS_rt_tgsigqueueinfo,
#ifdef SYS_io_uring_setup
      SYS_io_uring_setup,
      SYS_io_uring_enter,
      SYS_io_uring_register,
#endif
#ifdef SYS_pidfd_send_signal
      SYS_pidfd_send_signal,
#endif
#ifdef SYS_pidfd_getfd
      SYS_pidfd_getfd,
#endif
  };
}

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;  // never: see lock_down.cc
#endif

constexpr uint32_t kFirstForeignCall = 0x40000000;  // x86-64 has a second set of numbers from here

void Load(std::vector<sock_filter>& program, size_t offset) {
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
}
void Return(std::vector<sock_filter>& program, uint32_t action) {
  program.push_back(BPF_STMT(BPF_RET | BPF_K, action));
}
// Goes on when it is equal, else skips so many.
void SkipUnlessEqual(std::vector<sock_filter>& program, uint32_t value, size_t count) {
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, static_cast<uint8_t>(count)));
}

void Admit(std::vector<sock_filter>& program, const Admitted& call) {
  constexpr size_t kPerCondition = 7;
  const size_t size = kPerCondition * call.conditions.size() + 1;
  SkipUnlessEqual(program, static_cast<uint32_t>(call.number), size);
  for (const Condition& condition : call.conditions) {
    const size_t low = offsetof(seccomp_data, args) + condition.argument * sizeof(uint64_t);
    // A failed condition ends here: the number of the call is no longer at hand.
    Load(program, low);
    program.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, condition.mask));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, condition.value, 1, 0));
    Return(program, SECCOMP_RET_ERRNO | EPERM);
    Load(program, low + sizeof(uint32_t));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
    Return(program, SECCOMP_RET_ERRNO | EPERM);
  }
  Return(program, SECCOMP_RET_ALLOW);
}

}  // namespace

std::vector<sock_filter> SyscallFilter() {
  std::vector<sock_filter> program;
  Load(program, offsetof(seccomp_data, arch));
  SkipUnlessEqual(program, kArchitecture, 1);
  program.push_back(BPF_STMT(BPF_JMP | BPF_JA, 1));
  Return(program, SECCOMP_RET_KILL_PROCESS);
  Load(program, offsetof(seccomp_data, nr));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kFirstForeignCall, 0, 1));
  Return(program, SECCOMP_RET_KILL_PROCESS);
  for (const Admitted& call : AdmittedCalls())
    Admit(program, call);
  for (const int number : FatalCalls()) {
    SkipUnlessEqual(program, static_cast<uint32_t>(number), 1);
    Return(program, SECCOMP_RET_KILL_PROCESS);
  }
  // The C library then uses clone, whose flags can be looked at.
  constexpr uint32_t kClone3 = 435;  // on every processor; not in older headers
  SkipUnlessEqual(program, kClone3, 1);
  Return(program, SECCOMP_RET_ERRNO | ENOSYS);
  // All else fails as if it were not permitted: files, above all.
  Return(program, SECCOMP_RET_ERRNO | EPERM);
  return program;
}

}  // namespace isobox
