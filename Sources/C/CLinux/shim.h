#pragma once
// No _GNU_SOURCE here: it would change types that Swift's own Glibc module already holds.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
// Declared by glibc only under _GNU_SOURCE.
int accept4(int, struct sockaddr *, socklen_t *, int);
