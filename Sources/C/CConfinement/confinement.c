#define _GNU_SOURCE
#include "confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t belfry_fork(void) { return fork(); }

void belfry_take_no_privileges(void) { prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

// Landlock (landlock(7)), declared here because a distribution's headers can be older than its kernel.
struct ruleset_attributes {
  uint64_t files;
  uint64_t network;
  uint64_t scoped;
};
struct path_attributes {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));
enum { create_ruleset = 444, add_rule = 445, restrict_self = 446, path_beneath = 1 };
enum { read_file = 1 << 2, read_folder = 1 << 3 };

static int landlock(const char *const *readable, int count) {
  long version = syscall(create_ruleset, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
  if (version < 1) return -1;
  struct ruleset_attributes attributes = {.files = (1 << 13) - 1};
  if (version >= 2) attributes.files |= 1 << 13;  // refer
  if (version >= 3) attributes.files |= 1 << 14;  // truncate
  if (version >= 5) attributes.files |= 1 << 15;  // ioctl of devices
  if (version >= 4) attributes.network = 3;       // TCP: bind, connect
  if (version >= 6) attributes.scoped = 3;        // abstract sockets, signals
  // A kernel that is older than this structure accepts it if every field that the kernel doesn't know is 0.
  int ruleset = (int)syscall(create_ruleset, &attributes, sizeof attributes, 0);
  if (ruleset < 0) return -1;
  for (int index = 0; index < count; index++) {
    int path = open(readable[index], O_PATH | O_CLOEXEC);
    if (path < 0) continue;
    struct stat status;
    int is_folder = fstat(path, &status) == 0 && S_ISDIR(status.st_mode);
    struct path_attributes rule = {
        .allowed = is_folder ? read_file | read_folder : read_file, .parent = path};
    syscall(add_rule, ruleset, path_beneath, &rule, 0);
    close(path);
  }
  int result = (int)syscall(restrict_self, ruleset, 0);
  close(ruleset);
  return result;
}

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// A sanitizer's runtime makes system calls that the filter would refuse.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(NATIVE_ARCHITECTURE) && !defined(SANITIZED)
#define DATA(field) (uint32_t) offsetof(struct seccomp_data, field)
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, action)
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA))
#define ALLOW(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), ANSWER(SECCOMP_RET_ALLOW)
// Allows `call` if none of `bits` is set in the low word of its argument at `offset`.
#define ALLOW_WITHOUT(call, offset, bits)                                         \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 4), LOAD(offset),                \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), 1, 0),               \
      ANSWER(SECCOMP_RET_ALLOW), REFUSE
// Allows `call` if the low word of its first argument is `value`.
#define ALLOW_ON(call, value)                                        \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 4), LOAD(DATA(args)), \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, 1),  \
      ANSWER(SECCOMP_RET_ALLOW), REFUSE

static int filter_calls(void) {
  const int writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  const uint32_t second = DATA(args) + 8, third = DATA(args) + 16;
  struct sock_filter filter[] = {
      LOAD(DATA(arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0),
      ANSWER(SECCOMP_RET_KILL_PROCESS),
      LOAD(DATA(nr)),
      // Reading, and writing to open descriptors.
      ALLOW(__NR_read),
      ALLOW(__NR_readv),
      ALLOW(__NR_pread64),
      ALLOW(__NR_preadv),
      ALLOW(__NR_lseek),
      ALLOW(__NR_fadvise64),
      ALLOW(__NR_write),
      ALLOW(__NR_writev),
      ALLOW(__NR_recvmsg),
      ALLOW(__NR_recvfrom),
      ALLOW(__NR_sendmsg),
      ALLOW(__NR_sendto),
      ALLOW(__NR_shutdown),
      ALLOW(__NR_ppoll),
      ALLOW(__NR_close),
      ALLOW(__NR_fcntl),
      ALLOW(__NR_fstat),
      ALLOW(__NR_newfstatat),
      ALLOW(__NR_statx),
      ALLOW_WITHOUT(__NR_openat, third, writing),
#ifdef __NR_open
      ALLOW_WITHOUT(__NR_open, second, writing),
      ALLOW(__NR_stat),
      ALLOW(__NR_lstat),
      ALLOW(__NR_poll),
      ALLOW(__NR_time),
#endif
      // Memory allocation, but no executable memory.
      ALLOW(__NR_brk),
      ALLOW(__NR_munmap),
      ALLOW(__NR_mremap),
      ALLOW(__NR_madvise),
      ALLOW_WITHOUT(__NR_mmap, third, PROT_EXEC),
      ALLOW_WITHOUT(__NR_mprotect, third, PROT_EXEC),
      // Time, random numbers, and the process itself.
      ALLOW(__NR_clock_gettime),
      ALLOW(__NR_clock_getres),
      ALLOW(__NR_clock_nanosleep),
      ALLOW(__NR_nanosleep),
      ALLOW(__NR_gettimeofday),
      ALLOW(__NR_getrandom),
      ALLOW(__NR_futex),
      ALLOW(__NR_sched_yield),
      ALLOW(__NR_sched_getaffinity),
      ALLOW(__NR_sysinfo),
      ALLOW(__NR_uname),
      ALLOW(__NR_getpid),
      ALLOW(__NR_gettid),
      ALLOW(__NR_getuid),
      ALLOW(__NR_geteuid),
      ALLOW(__NR_getgid),
      ALLOW(__NR_getegid),
      ALLOW(__NR_rt_sigaction),
      ALLOW(__NR_rt_sigprocmask),
      ALLOW(__NR_rt_sigreturn),
      ALLOW(__NR_sigaltstack),
      ALLOW(__NR_restart_syscall),
      ALLOW_ON(__NR_tgkill, getpid()),
      ALLOW(__NR_exit),
      ALLOW(__NR_exit_group),
      REFUSE,
  };
  (void)second;
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
static int filter_calls(void) { return -1; }
#endif

int belfry_confine(const char *const *readable, int count) {
  int lacking = 0;
  // Landlock and seccomp require this setting in unprivileged processes.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) lacking |= BELFRY_LACKS_NO_NEW_PRIVILEGES;
  if (landlock(readable, count) != 0) lacking |= BELFRY_LACKS_LANDLOCK;
  if (filter_calls() != 0) lacking |= BELFRY_LACKS_SECCOMP;
  return lacking;
}
