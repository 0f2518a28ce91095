#pragma once
#include <sys/types.h>

// What this kernel lacks of what confines a process; bits of belfry_confine's answer.
#define BELFRY_LACKS_NO_NEW_PRIVILEGES 1
#define BELFRY_LACKS_LANDLOCK 2
#define BELFRY_LACKS_SECCOMP 4

// Takes from this thread, for good, all that a reader of untrusted bytes does without: new privileges,
// every file but the `count` ones of `readable`, which it may read, new sockets, and every system call
// that is not for reading, writing what is open, memory and time. Other threads are not confined: there
// must be none.
int belfry_confine(const char *const *readable, int count);

// Makes whatever this process starts or becomes have no more rights than it (PR_SET_NO_NEW_PRIVS).
void belfry_take_no_privileges(void);

// fork(2), which Swift does not have; only for a process with one thread.
pid_t belfry_fork(void);
