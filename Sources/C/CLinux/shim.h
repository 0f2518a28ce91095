#pragma once
// Don't define _GNU_SOURCE here, because it would change types that Swift's Glibc module has already imported.
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <ifaddrs.h>
#include <linux/capability.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
// glibc declares these functions only under _GNU_SOURCE.
int accept4(int, struct sockaddr *, socklen_t *, int);
int pipe2(int[2], int);
int pthread_setname_np(unsigned long, const char *);
long syscall(long, ...);
int setresuid(uid_t, uid_t, uid_t);
int setresgid(gid_t, gid_t, gid_t);

// epoll_event is packed and its data is a union, both of which are easier to access in C than in Swift.
static inline int belfry_epoll_control(int epoll, int operation, int descriptor, uint32_t events,
                                       uint64_t data) {
  struct epoll_event event = {.events = events, .data = {.u64 = data}};
  return epoll_ctl(epoll, operation, descriptor, &event);
}
static inline uint64_t belfry_epoll_data(const struct epoll_event *events, int index) {
  return events[index].data.u64;
}
static inline uint32_t belfry_epoll_events(const struct epoll_event *events, int index) {
  return events[index].events;
}

// glibc declares struct ucred only under _GNU_SOURCE.
struct belfry_peer_credentials {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
};
static inline int belfry_peer_credentials(int descriptor, struct belfry_peer_credentials *out) {
  socklen_t length = sizeof *out;
  return getsockopt(descriptor, SOL_SOCKET, 17 /* SO_PEERCRED */, out, &length);
}

// Returns a descriptor for the process that connected (SO_PEERPIDFD, Linux 6.5), or -1 on failure.
static inline int belfry_peer_pidfd(int descriptor) {
  int process = -1;
  socklen_t length = sizeof process;
  int result = getsockopt(descriptor, SOL_SOCKET, 77 /* SO_PEERPIDFD */, &process, &length);
  return result < 0 ? -1 : process;
}
static inline int belfry_pidfd_open(int32_t pid) {
  return (int)syscall(434 /* pidfd_open, on every architecture */, pid, 0);
}

// Sets another process's limit on open descriptors; glibc declares prlimit only under _GNU_SOURCE.
static inline int belfry_set_descriptor_limit(int32_t pid, uint64_t soft, uint64_t hard) {
  struct {
    uint64_t soft, hard;
  } limit = {soft, hard};
  return (int)syscall(SYS_prlimit64, pid, 7 /* RLIMIT_NOFILE */, &limit, (void *)0);
}

// Calls open(2), which Swift doesn't import because it is variadic.
static inline int belfry_open(const char *path, int flags, mode_t mode) {
  return open(path, flags, mode);
}
// Instructs the kernel to send `signal` to this process when the thread that started this process exits.
static inline int belfry_set_parent_death_signal(int signal) {
  return prctl(PR_SET_PDEATHSIG, signal);
}
// Makes this process the parent of descendants whose own parent exits.
static inline int belfry_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1); }
static inline int belfry_set_nonblocking(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

// Returns the effective capabilities of this thread, as one bit for each of the numbers 0 to 31, or 0 on failure.
static inline uint32_t belfry_effective_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct data[2] = {{0}};
  return syscall(SYS_capget, &header, data) == 0 ? data[0].effective : 0;
}
// Drops all capabilities except those in `kept`, which has one bit for each of the numbers 0 to 31 and must be a subset
// of the permitted capabilities.
static inline int belfry_keep_capabilities(uint32_t kept) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct data[2] = {{.effective = kept, .permitted = kept}, {0}};
  return (int)syscall(SYS_capset, &header, data);
}
// Sets whether this thread keeps its permitted capabilities when all of its user IDs change.
static inline int belfry_keep_permitted(int keeps) { return prctl(PR_SET_KEEPCAPS, keeps); }
// Creates and opens a file without a name in `folder`.
static inline int belfry_open_unnamed(const char *folder, mode_t mode) {
  return open(folder, O_RDWR | O_CLOEXEC | 020000000 /* __O_TMPFILE */ | O_DIRECTORY, mode);
}
// Assigns a name to an unnamed file; the name must be unused.
static inline int belfry_name(int descriptor, const char *path) {
  char source[40];
  snprintf(source, sizeof source, "/proc/self/fd/%d", descriptor);
  return linkat(AT_FDCWD, source, AT_FDCWD, path, 0x400 /* AT_SYMLINK_FOLLOW */);
}
// The flags for opening a file without the right to read it, or a symbolic link instead of its target.
static const int belfry_path_flags = 010000000 /* O_PATH */ | O_NOFOLLOW | O_CLOEXEC;
// Returns the ID of the process that prevents others from locking a file for writing (fcntl(2)), 0 if no process does,
// or -1 on failure.
static inline int32_t belfry_lock_holder(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(descriptor, F_GETLK, &lock) != 0) return -1;
  return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}
