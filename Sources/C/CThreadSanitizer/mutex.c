#include "thread_sanitizer.h"

// Swift's Mutex waits in the kernel (FUTEX_LOCK_PI), which ThreadSanitizer doesn't observe: a thread that acquires a
// contended lock seems to race with the previous owner. In ThreadSanitizer builds, this function waits instead, using
// an atomic exchange that ThreadSanitizer observes. As a result, the slow unlock never has any work to do.
#if __has_feature(thread_sanitizer)
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

// Synchronization._MutexHandle._lockSlow(_: UInt32): the argument is the thread's number, and `self` is the handle.
#define SWIFT_SELF __attribute__((swift_context))
__attribute__((swiftcall)) void belfry_mutex_lock_slow(
    uint32_t thread, SWIFT_SELF _Atomic uint32_t *handle)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void belfry_mutex_lock_slow(
    uint32_t thread, SWIFT_SELF _Atomic uint32_t *handle) {
  uint32_t nobody = 0;
  while (!atomic_compare_exchange_weak_explicit(
      handle, &nobody, thread, memory_order_acquire, memory_order_relaxed)) {
    nobody = 0;
    sched_yield();
  }
}
#endif
