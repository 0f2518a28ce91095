#pragma once
#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

#include "power_cut.h"

// The disk's state, below SQLite's interface in vfs.c.

enum { SECTOR = 512, SHM_LOCKS = SQLITE_SHM_NLOCK };

typedef struct {
  unsigned char *bytes;
  size_t size, capacity;
} extent;

/// A write, or where `length` is 0 a truncation to `offset`, that is not synced.
typedef struct {
  size_t offset, length;
  unsigned char *bytes;
} change;

typedef struct handle handle;

/// A file: what is read, what the disk has, and what lies between them.
typedef struct node {
  struct node *next;
  char *name;
  extent cached, durable;
  change *pending;
  size_t pending_count, pending_capacity;
  /// Whether the name is there, and whether it will be after a cut.
  bool is_named, is_named_durably;
  // Locks and memory of the connections, which end with the power.
  int shared, shm_users;
  handle *reserved, *exclusive;
  int shm_shared[SHM_LOCKS];
  handle *shm_exclusive[SHM_LOCKS];
  void **regions;
  int region_count;
} node;

struct power_cut_disk {
  power_cut_disk *next;
  char *folder;
  node *nodes;
  uint64_t random, operations, unsynced;
  /// Operations and syncs that are left; UINT64_MAX: any number.
  uint64_t until_cut, until_failed_sync;
  /// Counts the restarts: handles of a former life are dead.
  uint64_t life;
  bool is_off, has_failed;
};

/// Guards all disks.
extern pthread_mutex_t power_cut_mutex;

/// The disk whose folder `path` is in; NULL: none. With the mutex held, as all below.
power_cut_disk *disk_of(const char *path);
node *disk_find(power_cut_disk *disk, const char *name);
node *disk_create(power_cut_disk *disk, const char *name, bool is_durable);
/// Counts an operation; false when the power is off.
bool disk_operate(power_cut_disk *disk);
void disk_write(node *file, size_t offset, const void *bytes, size_t length);
void disk_truncate(node *file, size_t size);
/// False where the sync fails.
bool disk_sync(power_cut_disk *disk, node *file);
/// Makes all names as durable as they are.
void disk_sync_folder(power_cut_disk *disk);
void node_drop_shared_memory(node *file);
/// Registers the VFS, once.
void vfs_install(void);
