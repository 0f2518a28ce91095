#pragma once
// No _GNU_SOURCE here: it would change types that Swift's own Glibc module already holds.
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
// Declared by glibc only under _GNU_SOURCE.
int accept4(int, struct sockaddr *, socklen_t *, int);
int pipe2(int[2], int);
int pthread_setname_np(unsigned long, const char *);
long syscall(long, ...);

// epoll_event is packed, and its data a union: both are easier to reach from here.
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

// struct ucred is declared only under _GNU_SOURCE.
struct belfry_peer_credentials {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
};
static inline int belfry_peer_credentials(int descriptor, struct belfry_peer_credentials *out) {
  socklen_t length = sizeof *out;
  return getsockopt(descriptor, SOL_SOCKET, 17 /* SO_PEERCRED */, out, &length);
}

// A descriptor of the process that connected: SO_PEERPIDFD, Linux 6.5.
static inline int belfry_peer_pidfd(int descriptor) {
  int process = -1;
  socklen_t length = sizeof process;
  int result = getsockopt(descriptor, SOL_SOCKET, 77 /* SO_PEERPIDFD */, &process, &length);
  return result < 0 ? -1 : process;
}
static inline int belfry_pidfd_open(int32_t pid) {
  return (int)syscall(434 /* pidfd_open, on every architecture */, pid, 0);
}

// Variadic functions are not imported into Swift.
static inline int belfry_open(const char *path, int flags, mode_t mode) {
  return open(path, flags, mode);
}
// The kernel sends the signal when the thread that started this process ends.
static inline int belfry_set_parent_death_signal(int signal) {
  return prctl(PR_SET_PDEATHSIG, signal);
}
// Descendants whose parent ends become children of this process.
static inline int belfry_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1); }
static inline int belfry_set_nonblocking(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}
