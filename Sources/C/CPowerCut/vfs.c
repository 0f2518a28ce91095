#include <stdlib.h>
#include <string.h>

#include "disk.h"

// SQLite's interface to the disks; paths outside the disks are passed to the VFS that was previously the default.

static sqlite3_vfs *system_vfs;

struct handle {
  sqlite3_file base;
  power_cut_disk *disk;
  node *file;
  uint64_t life;
  int lock;
  /// True if the next sync also syncs the folder, as the first sync of a journal or a write-ahead log does on Linux.
  bool syncs_folder;
  bool has_shared_memory;
  uint16_t shm_shared, shm_exclusive;
};

static handle *handle_of(sqlite3_file *file) { return (handle *)file; }

static bool is_alive(const handle *self) {
  return !self->disk->is_off && self->life == self->disk->life;
}

/// Evaluates a call while holding the mutex, and returns its result.
#define LOCKED(answer) \
  pthread_mutex_lock(&power_cut_mutex); \
  int code = (answer); \
  pthread_mutex_unlock(&power_cut_mutex); \
  return code

// MARK: Reading and writing

static int read_bytes(handle *self, void *to, int amount, sqlite3_int64 offset) {
  if (!is_alive(self)) return SQLITE_IOERR_READ;
  const extent *cached = &self->file->cached;
  size_t start = (size_t)offset;
  size_t there = start < cached->size ? cached->size - start : 0;
  if (there > (size_t)amount) there = (size_t)amount;
  if (there) memcpy(to, cached->bytes + start, there);
  if (there == (size_t)amount) return SQLITE_OK;
  memset((char *)to + there, 0, (size_t)amount - there);
  return SQLITE_IOERR_SHORT_READ;
}

static int vfs_read(sqlite3_file *file, void *to, int amount, sqlite3_int64 offset) {
  LOCKED(read_bytes(handle_of(file), to, amount, offset));
}

static int write_bytes(handle *self, const void *from, int amount, sqlite3_int64 offset) {
  if (!is_alive(self) || !disk_operate(self->disk)) return SQLITE_IOERR_WRITE;
  disk_write(self->file, (size_t)offset, from, (size_t)amount);
  return SQLITE_OK;
}

static int vfs_write(sqlite3_file *file, const void *from, int amount, sqlite3_int64 offset) {
  LOCKED(write_bytes(handle_of(file), from, amount, offset));
}

static int truncate_file(handle *self, sqlite3_int64 size) {
  if (!is_alive(self) || !disk_operate(self->disk)) return SQLITE_IOERR_TRUNCATE;
  disk_truncate(self->file, (size_t)size);
  return SQLITE_OK;
}

static int vfs_truncate(sqlite3_file *file, sqlite3_int64 size) {
  LOCKED(truncate_file(handle_of(file), size));
}

static int sync_file(handle *self) {
  if (!is_alive(self) || !disk_operate(self->disk)) return SQLITE_IOERR_FSYNC;
  if (!disk_sync(self->disk, self->file)) return SQLITE_IOERR_FSYNC;
  if (self->syncs_folder) disk_sync_folder(self->disk);
  self->syncs_folder = false;
  return SQLITE_OK;
}

static int vfs_sync(sqlite3_file *file, int flags) {
  (void)flags;
  LOCKED(sync_file(handle_of(file)));
}

static int vfs_size(sqlite3_file *file, sqlite3_int64 *size) {
  handle *self = handle_of(file);
  pthread_mutex_lock(&power_cut_mutex);
  *size = (sqlite3_int64)self->file->cached.size;
  int code = is_alive(self) ? SQLITE_OK : SQLITE_IOERR_FSTAT;
  pthread_mutex_unlock(&power_cut_mutex);
  return code;
}

// MARK: Locks

static int lock_file(handle *self, int level) {
  node *file = self->file;
  if (!is_alive(self)) return SQLITE_IOERR_LOCK;
  if (self->lock >= level) return SQLITE_OK;
  if (file->exclusive && file->exclusive != self) return SQLITE_BUSY;
  if (level >= SQLITE_LOCK_RESERVED && file->reserved && file->reserved != self) return SQLITE_BUSY;
  if (level == SQLITE_LOCK_EXCLUSIVE && file->shared > (self->lock >= SQLITE_LOCK_SHARED)) {
    return SQLITE_BUSY;
  }
  if (self->lock < SQLITE_LOCK_SHARED) file->shared++;
  if (level >= SQLITE_LOCK_RESERVED) file->reserved = self;
  if (level == SQLITE_LOCK_EXCLUSIVE) file->exclusive = self;
  self->lock = level;
  return SQLITE_OK;
}

static int vfs_lock(sqlite3_file *file, int level) { LOCKED(lock_file(handle_of(file), level)); }

static int unlock_file(handle *self, int level) {
  node *file = self->file;
  if (self->lock <= level) return SQLITE_OK;
  if (self->life == self->disk->life) {
    if (file->exclusive == self) file->exclusive = NULL;
    if (level < SQLITE_LOCK_RESERVED && file->reserved == self) file->reserved = NULL;
    if (level < SQLITE_LOCK_SHARED) file->shared--;
  }
  self->lock = level;
  return SQLITE_OK;
}

static int vfs_unlock(sqlite3_file *file, int level) { LOCKED(unlock_file(handle_of(file), level)); }

static int vfs_check_reserved(sqlite3_file *file, int *is_reserved) {
  pthread_mutex_lock(&power_cut_mutex);
  *is_reserved = handle_of(file)->file->reserved != NULL;
  pthread_mutex_unlock(&power_cut_mutex);
  return SQLITE_OK;
}

// MARK: Shared memory

static int map_memory(handle *self, int region, int size, int extend, void volatile **memory) {
  node *file = self->file;
  *memory = NULL;
  if (!is_alive(self)) return SQLITE_IOERR_SHMMAP;
  if (!self->has_shared_memory) {
    self->has_shared_memory = true;
    file->shm_users++;
  }
  if (region >= file->region_count) {
    if (!extend) return SQLITE_OK;
    file->regions = realloc(file->regions, (size_t)(region + 1) * sizeof(void *));
    while (file->region_count <= region) {
      file->regions[file->region_count++] = calloc(1, (size_t)size);
    }
  }
  *memory = file->regions[region];
  return SQLITE_OK;
}

static int vfs_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
  LOCKED(map_memory(handle_of(file), region, size, extend, memory));
}

static int lock_memory(handle *self, int first, int count, int flags) {
  node *file = self->file;
  uint16_t mask = (uint16_t)(((1u << count) - 1) << first);
  if (!is_alive(self)) return SQLITE_IOERR_SHMLOCK;
  if (flags & SQLITE_SHM_UNLOCK) {
    for (int index = first; index < first + count; index++) {
      if (file->shm_exclusive[index] == self) file->shm_exclusive[index] = NULL;
      if (self->shm_shared >> index & 1) file->shm_shared[index]--;
    }
    self->shm_shared &= (uint16_t)~mask;
    self->shm_exclusive &= (uint16_t)~mask;
    return SQLITE_OK;
  }
  for (int index = first; index < first + count; index++) {
    bool is_held = file->shm_exclusive[index] && file->shm_exclusive[index] != self;
    int others = file->shm_shared[index] - (self->shm_shared >> index & 1);
    if (is_held || ((flags & SQLITE_SHM_EXCLUSIVE) && others > 0)) return SQLITE_BUSY;
  }
  for (int index = first; index < first + count; index++) {
    if (flags & SQLITE_SHM_EXCLUSIVE) {
      file->shm_exclusive[index] = self;
      self->shm_exclusive |= (uint16_t)(1u << index);
    } else if (!(self->shm_shared >> index & 1)) {
      file->shm_shared[index]++;
      self->shm_shared |= (uint16_t)(1u << index);
    }
  }
  return SQLITE_OK;
}

static int vfs_shm_lock(sqlite3_file *file, int first, int count, int flags) {
  LOCKED(lock_memory(handle_of(file), first, count, flags));
}

static void vfs_shm_barrier(sqlite3_file *file) {
  (void)file;
  __sync_synchronize();
}

static int unmap_memory(handle *self) {
  if (!self->has_shared_memory) return SQLITE_OK;
  self->has_shared_memory = false;
  if (self->life != self->disk->life) return SQLITE_OK;
  lock_memory(self, 0, SHM_LOCKS, SQLITE_SHM_UNLOCK);
  if (--self->file->shm_users == 0) node_drop_shared_memory(self->file);
  return SQLITE_OK;
}

static int vfs_shm_unmap(sqlite3_file *file, int delete) {
  (void)delete;
  LOCKED(unmap_memory(handle_of(file)));
}

// MARK: Opening and names

static int vfs_close(sqlite3_file *file) {
  handle *self = handle_of(file);
  pthread_mutex_lock(&power_cut_mutex);
  unmap_memory(self);
  unlock_file(self, SQLITE_LOCK_NONE);
  pthread_mutex_unlock(&power_cut_mutex);
  return SQLITE_OK;
}

static int vfs_control(sqlite3_file *file, int operation, void *argument) {
  (void)file, (void)operation, (void)argument;
  return SQLITE_NOTFOUND;
}

static int vfs_sector_size(sqlite3_file *file) {
  (void)file;
  return 4096;
}

/// Returns the properties that SQLite assumes for files on Linux: a write doesn't harm adjacent bytes.
static int vfs_characteristics(sqlite3_file *file) {
  (void)file;
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = vfs_close,
    .xRead = vfs_read,
    .xWrite = vfs_write,
    .xTruncate = vfs_truncate,
    .xSync = vfs_sync,
    .xFileSize = vfs_size,
    .xLock = vfs_lock,
    .xUnlock = vfs_unlock,
    .xCheckReservedLock = vfs_check_reserved,
    .xFileControl = vfs_control,
    .xSectorSize = vfs_sector_size,
    .xDeviceCharacteristics = vfs_characteristics,
    .xShmMap = vfs_shm_map,
    .xShmLock = vfs_shm_lock,
    .xShmBarrier = vfs_shm_barrier,
    .xShmUnmap = vfs_shm_unmap,
};

static int open_file(power_cut_disk *disk, const char *name, handle *self, int flags, int *opened) {
  memset(self, 0, sizeof *self);
  if (disk->is_off) return SQLITE_CANTOPEN;
  node *file = disk_find(disk, name);
  if (!file) {
    // The store's owner creates and syncs the main file before SQLite opens it.
    bool is_durable = flags & SQLITE_OPEN_MAIN_DB;
    if (!is_durable && !(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
    file = disk_create(disk, name, is_durable);
  }
  int journals = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
  bool syncs_folder = (flags & SQLITE_OPEN_CREATE) && (flags & journals);
  *self = (handle){
      .base = {&methods}, .disk = disk, .file = file, .life = disk->life, .syncs_folder = syncs_folder};
  if (opened) *opened = flags;
  return SQLITE_OK;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened) {
  (void)vfs;
  pthread_mutex_lock(&power_cut_mutex);
  power_cut_disk *disk = disk_of(name);
  int code = disk ? open_file(disk, name, handle_of(file), flags, opened) : SQLITE_OK;
  pthread_mutex_unlock(&power_cut_mutex);
  return disk ? code : system_vfs->xOpen(system_vfs, name, file, flags, opened);
}

static int delete_file(power_cut_disk *disk, const char *name, int sync_folder) {
  node *file = disk_find(disk, name);
  if (!file) return SQLITE_IOERR_DELETE_NOENT;
  if (!disk_operate(disk)) return SQLITE_IOERR_DELETE;
  file->is_named = false;
  if (sync_folder) disk_sync_folder(disk);
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_folder) {
  (void)vfs;
  pthread_mutex_lock(&power_cut_mutex);
  power_cut_disk *disk = disk_of(name);
  int code = disk ? delete_file(disk, name, sync_folder) : SQLITE_OK;
  pthread_mutex_unlock(&power_cut_mutex);
  return disk ? code : system_vfs->xDelete(system_vfs, name, sync_folder);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
  (void)vfs;
  pthread_mutex_lock(&power_cut_mutex);
  power_cut_disk *disk = disk_of(name);
  node *file = disk ? disk_find(disk, name) : NULL;
  // As on Linux, an empty file counts as missing.
  *answer = file && (flags != SQLITE_ACCESS_EXISTS || file->cached.size > 0);
  int code = disk && disk->is_off ? SQLITE_IOERR_ACCESS : SQLITE_OK;
  pthread_mutex_unlock(&power_cut_mutex);
  return disk ? code : system_vfs->xAccess(system_vfs, name, flags, answer);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
  (void)vfs;
  return system_vfs->xFullPathname(system_vfs, name, size, path);
}

static int vfs_randomness(sqlite3_vfs *vfs, int size, char *bytes) {
  (void)vfs;
  return system_vfs->xRandomness(system_vfs, size, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return system_vfs->xSleep(system_vfs, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *days) {
  (void)vfs;
  return system_vfs->xCurrentTime(system_vfs, days);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *text) {
  (void)vfs;
  return system_vfs->xGetLastError ? system_vfs->xGetLastError(system_vfs, size, text) : 0;
}

static int vfs_time_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
  (void)vfs;
  return system_vfs->xCurrentTimeInt64(system_vfs, milliseconds);
}

static sqlite3_vfs vfs = {
    .iVersion = 2,
    .zName = "power-cut",
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_path,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_time,
    .xGetLastError = vfs_last_error,
    .xCurrentTimeInt64 = vfs_time_milliseconds,
};

static void install(void) {
  system_vfs = sqlite3_vfs_find(NULL);
  vfs.mxPathname = system_vfs->mxPathname;
  vfs.szOsFile = system_vfs->szOsFile;
  if (vfs.szOsFile < (int)sizeof(handle)) vfs.szOsFile = (int)sizeof(handle);
  if (sqlite3_vfs_register(&vfs, 1) != SQLITE_OK) abort();
}

void vfs_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
}
