#pragma once
#include <sys/types.h>

// The protections that the kernel does not support, as bits of the result of belfry_confine.
#define BELFRY_LACKS_NO_NEW_PRIVILEGES 1
#define BELFRY_LACKS_LANDLOCK 2
#define BELFRY_LACKS_SECCOMP 4

// Permanently removes all rights that a reader of untrusted bytes doesn't need from this thread, and returns the
// protections that the kernel does not support.
//
// The thread can no longer gain privileges, create sockets, or access any files except the `count` files in `readable`,
// which it can read. All system calls are refused, except calls for reading, writing to open descriptors, memory, and
// time. Other threads aren't confined, so the process must have only this thread.
int belfry_confine(const char *const *readable, int count);

// Prevents this process, and any process or program that it starts, from gaining privileges (PR_SET_NO_NEW_PRIVS).
void belfry_take_no_privileges(void);

// Calls fork(2), which Swift doesn't import; use it only in a process with a single thread.
pid_t belfry_fork(void);
