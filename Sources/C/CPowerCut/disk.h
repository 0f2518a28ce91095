#pragma once
#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

#include "power_cut.h"

// The state of a simulated disk, on which SQLite's interface in vfs.c is based.

enum { SECTOR = 512, SHM_LOCKS = SQLITE_SHM_NLOCK };

typedef struct {
  unsigned char *bytes;
  size_t size, capacity;
} extent;

/// An unsynced write or, if `length` is 0, an unsynced truncation to `offset`.
typedef struct {
  size_t offset, length;
  unsigned char *bytes;
} change;

typedef struct handle handle;

/// A file: the contents that can be read, the contents on the disk, and the pending changes between the two.
typedef struct node {
  struct node *next;
  char *name;
  extent cached, durable;
  change *pending;
  size_t pending_count, pending_capacity;
  /// `is_named` is true if the file currently has its name; `is_named_durably` is true if it would have its name after
  /// a power cut.
  bool is_named, is_named_durably;
  // The locks and the shared memory of connections, which are lost when the power is cut.
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
  /// The number of operations before the power is cut, and the number of syncs before a sync fails; UINT64_MAX for no
  /// limit.
  uint64_t until_cut, until_failed_sync;
  /// The number of restarts; handles that were opened before the last restart are invalid.
  uint64_t life;
  bool is_off, has_failed;
};

/// The mutex that guards all disks.
extern pthread_mutex_t power_cut_mutex;

/// Returns the disk whose folder contains `path`, or NULL if no disk does.
///
/// The caller must hold the mutex, as for all of the functions below.
power_cut_disk *disk_of(const char *path);
node *disk_find(power_cut_disk *disk, const char *name);
node *disk_create(power_cut_disk *disk, const char *name, bool is_durable);
/// Counts an operation; returns false if the power is off.
bool disk_operate(power_cut_disk *disk);
void disk_write(node *file, size_t offset, const void *bytes, size_t length);
void disk_truncate(node *file, size_t size);
/// Makes a file's changes durable; returns false if the sync fails.
bool disk_sync(power_cut_disk *disk, node *file);
/// Makes the current names of all files durable.
void disk_sync_folder(power_cut_disk *disk);
void node_drop_shared_memory(node *file);
/// Registers the VFS; further calls have no effect.
void vfs_install(void);
