#include "disk.h"

#include <stdlib.h>
#include <string.h>

pthread_mutex_t power_cut_mutex = PTHREAD_MUTEX_INITIALIZER;
static power_cut_disk *disks;

static void *checked(void *memory) {
  if (!memory) abort();
  return memory;
}

static uint64_t draw(power_cut_disk *disk) {
  uint64_t value = disk->random += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

// MARK: Bytes

static void extent_resize(extent *to, size_t size) {
  if (size > to->capacity) {
    to->capacity = size * 2;
    to->bytes = checked(realloc(to->bytes, to->capacity));
  }
  if (size > to->size) memset(to->bytes + to->size, 0, size - to->size);
  to->size = size;
}

static void extent_write(extent *to, size_t offset, const void *bytes, size_t length) {
  if (offset + length > to->size) extent_resize(to, offset + length);
  memcpy(to->bytes + offset, bytes, length);
}

static void extent_apply(extent *to, const change *one) {
  if (one->length) {
    extent_write(to, one->offset, one->bytes, one->length);
  } else {
    extent_resize(to, one->offset);
  }
}

static void extent_copy(extent *to, const extent *from) {
  to->size = 0;
  extent_resize(to, from->size);
  if (from->size) memcpy(to->bytes, from->bytes, from->size);
}

/// Writes some sectors of a change, and fills others with noise.
static void extent_tear(power_cut_disk *disk, extent *to, const change *one) {
  size_t end = one->offset + one->length;
  for (size_t start = one->offset; start < end;) {
    size_t stop = (start / SECTOR + 1) * SECTOR;
    if (stop > end) stop = end;
    uint64_t fate = draw(disk) % 8;
    if (fate < 4) {
      extent_write(to, start, one->bytes + (start - one->offset), stop - start);
    } else if (fate == 4) {
      unsigned char noise[SECTOR];
      for (size_t index = 0; index < stop - start; index++) noise[index] = (unsigned char)draw(disk);
      extent_write(to, start, noise, stop - start);
    }
    start = stop;
  }
}

// MARK: Files

static void forget_pending(node *file) {
  for (size_t index = 0; index < file->pending_count; index++) free(file->pending[index].bytes);
  file->pending_count = 0;
}

static void note(node *file, change one) {
  if (file->pending_count == file->pending_capacity) {
    file->pending_capacity = file->pending_capacity * 2 + 16;
    file->pending = checked(realloc(file->pending, file->pending_capacity * sizeof(change)));
  }
  file->pending[file->pending_count++] = one;
}

node *disk_find(power_cut_disk *disk, const char *name) {
  for (node *file = disk->nodes; file; file = file->next) {
    if (file->is_named && strcmp(file->name, name) == 0) return file;
  }
  return NULL;
}

node *disk_create(power_cut_disk *disk, const char *name, bool is_durable) {
  node *file = checked(calloc(1, sizeof(node)));
  file->name = checked(strdup(name));
  file->is_named = true;
  file->is_named_durably = is_durable;
  file->next = disk->nodes;
  disk->nodes = file;
  return file;
}

bool disk_operate(power_cut_disk *disk) {
  if (disk->is_off) return false;
  if (disk->until_cut == 0) {
    disk->is_off = true;
    return false;
  }
  if (disk->until_cut != UINT64_MAX) disk->until_cut--;
  disk->operations++;
  return true;
}

void disk_write(node *file, size_t offset, const void *bytes, size_t length) {
  if (length == 0) return;
  unsigned char *copy = checked(malloc(length));
  memcpy(copy, bytes, length);
  note(file, (change){offset, length, copy});
  extent_write(&file->cached, offset, bytes, length);
}

void disk_truncate(node *file, size_t size) {
  note(file, (change){size, 0, NULL});
  extent_resize(&file->cached, size);
}

/// Writes a random part of the pending changes to the disk; it is also likely that all changes or none are written.
static void settle(power_cut_disk *disk, node *file) {
  uint64_t mood = draw(disk) % 4;
  for (size_t index = 0; index < file->pending_count; index++) {
    const change *one = &file->pending[index];
    uint64_t fate = mood == 0 ? 0 : mood == 1 ? 1 : draw(disk) % 3;
    if (fate == 0) extent_apply(&file->durable, one);
    if (fate == 2 && one->length) extent_tear(disk, &file->durable, one);
  }
  disk->unsynced += file->pending_count;
  forget_pending(file);
}

bool disk_sync(power_cut_disk *disk, node *file) {
  if (disk->until_failed_sync == 0) {
    disk->until_failed_sync = UINT64_MAX;
    disk->has_failed = true;
    settle(disk, file);
    // The page cache can still contain the lost bytes, or can have dropped them.
    if (draw(disk) % 2) extent_copy(&file->cached, &file->durable);
    return false;
  }
  if (disk->until_failed_sync != UINT64_MAX) disk->until_failed_sync--;
  for (size_t index = 0; index < file->pending_count; index++) {
    extent_apply(&file->durable, &file->pending[index]);
  }
  forget_pending(file);
  return true;
}

void disk_sync_folder(power_cut_disk *disk) {
  for (node *file = disk->nodes; file; file = file->next) file->is_named_durably = file->is_named;
}

void node_drop_shared_memory(node *file) {
  for (int index = 0; index < file->region_count; index++) free(file->regions[index]);
  free(file->regions);
  file->regions = NULL;
  file->region_count = 0;
}

// MARK: Disks

power_cut_disk *disk_of(const char *path) {
  for (power_cut_disk *disk = disks; path && disk; disk = disk->next) {
    size_t length = strlen(disk->folder);
    if (strncmp(path, disk->folder, length) == 0 && path[length] == '/') return disk;
  }
  return NULL;
}

power_cut_disk *power_cut_disk_new(const char *folder, uint64_t seed) {
  vfs_install();
  power_cut_disk *disk = checked(calloc(1, sizeof(power_cut_disk)));
  disk->folder = checked(strdup(folder));
  disk->random = seed;
  disk->until_cut = disk->until_failed_sync = UINT64_MAX;
  pthread_mutex_lock(&power_cut_mutex);
  disk->next = disks;
  disks = disk;
  pthread_mutex_unlock(&power_cut_mutex);
  return disk;
}

static void node_free(node *file) {
  forget_pending(file);
  node_drop_shared_memory(file);
  free(file->pending);
  free(file->cached.bytes);
  free(file->durable.bytes);
  free(file->name);
  free(file);
}

void power_cut_disk_free(power_cut_disk *disk) {
  pthread_mutex_lock(&power_cut_mutex);
  power_cut_disk **link = &disks;
  while (*link != disk) link = &(*link)->next;
  *link = disk->next;
  pthread_mutex_unlock(&power_cut_mutex);
  for (node *file = disk->nodes, *next; file; file = next) {
    next = file->next;
    node_free(file);
  }
  free(disk->folder);
  free(disk);
}

void power_cut_disk_arm(power_cut_disk *disk, uint64_t operations) {
  pthread_mutex_lock(&power_cut_mutex);
  disk->until_cut = operations;
  pthread_mutex_unlock(&power_cut_mutex);
}

void power_cut_disk_fail_sync(power_cut_disk *disk, uint64_t syncs) {
  pthread_mutex_lock(&power_cut_mutex);
  disk->until_failed_sync = syncs;
  pthread_mutex_unlock(&power_cut_mutex);
}

bool power_cut_disk_flip(power_cut_disk *disk, const char *path, uint64_t bit) {
  pthread_mutex_lock(&power_cut_mutex);
  node *file = disk_find(disk, path);
  bool is_there = file && file->durable.size > 0;
  if (is_there) {
    bit %= file->durable.size * 8;
    unsigned char mask = (unsigned char)(1u << bit % 8);
    file->durable.bytes[bit / 8] ^= mask;
    if (bit / 8 < file->cached.size) file->cached.bytes[bit / 8] ^= mask;
  }
  pthread_mutex_unlock(&power_cut_mutex);
  return is_there;
}

bool power_cut_disk_is_off(const power_cut_disk *disk) { return disk->is_off; }
bool power_cut_disk_has_failed(const power_cut_disk *disk) { return disk->has_failed; }
uint64_t power_cut_disk_operations(const power_cut_disk *disk) { return disk->operations; }
uint64_t power_cut_disk_unsynced(const power_cut_disk *disk) { return disk->unsynced; }

/// Decides which of the files that share a name has that name after the power cut.
static void settle_name(power_cut_disk *disk, node *file) {
  node *durable = NULL;
  for (node *other = disk->nodes; other; other = other->next) {
    if (other->is_named_durably && strcmp(other->name, file->name) == 0) durable = other;
  }
  if (file == durable && file->is_named) return;
  disk->unsynced++;
  // The folder hasn't been synced since the change, so it is in either its previous or its current state.
  bool is_present = draw(disk) % 2;
  if (file->is_named) {
    file->is_named = file->is_named_durably = is_present;
    if (durable) durable->is_named = durable->is_named_durably = !is_present;
  } else {
    file->is_named = file->is_named_durably = !is_present;
  }
}

void power_cut_disk_restart(power_cut_disk *disk) {
  pthread_mutex_lock(&power_cut_mutex);
  for (node *file = disk->nodes; file; file = file->next) settle(disk, file);
  // First decide the names that currently exist, because this also decides the names of the files that they replaced.
  for (node *file = disk->nodes; file; file = file->next) {
    if (file->is_named) settle_name(disk, file);
  }
  for (node *file = disk->nodes; file; file = file->next) {
    if (!file->is_named && file->is_named_durably) settle_name(disk, file);
  }
  for (node *file = disk->nodes; file; file = file->next) {
    extent_copy(&file->cached, &file->durable);
    file->shared = file->shm_users = 0;
    file->reserved = file->exclusive = NULL;
    memset(file->shm_shared, 0, sizeof file->shm_shared);
    memset(file->shm_exclusive, 0, sizeof file->shm_exclusive);
    node_drop_shared_memory(file);
  }
  disk->is_off = disk->has_failed = false;
  disk->until_cut = disk->until_failed_sync = UINT64_MAX;
  disk->life++;
  pthread_mutex_unlock(&power_cut_mutex);
}
