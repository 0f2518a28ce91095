#pragma once
#include <stdbool.h>
#include <stdint.h>

// A disk under SQLite that loses what was not synced: for tests.
//
// Files below a disk's folder live in memory. What is written is read back at once, as from a page cache; it is on
// the disk after a sync. When the power goes, each write since is there, lost, or torn at the borders of sectors,
// in any order, and new and deleted names may be there or not. Other paths go to the system's own files.
//
// Any thread; the disks of one process know nothing of each other.

typedef struct power_cut_disk power_cut_disk;

/// A disk for all files whose paths begin with `folder`; chance is determined by `seed`.
power_cut_disk *power_cut_disk_new(const char *folder, uint64_t seed);

/// Frees the disk, of which no file may be open.
void power_cut_disk_free(power_cut_disk *disk);

/// Lets the power go before the write, sync, truncation or deletion that comes after `operations` more.
void power_cut_disk_arm(power_cut_disk *disk, uint64_t operations);

/// Lets the sync that comes after `syncs` more fail: what it had to write is lost, or partly there, and later syncs
/// succeed without it.
void power_cut_disk_fail_sync(power_cut_disk *disk, uint64_t syncs);

/// Whether the power has gone. Every call fails until the restart.
bool power_cut_disk_is_off(const power_cut_disk *disk);

/// Whether a sync has failed since the last restart.
bool power_cut_disk_has_failed(const power_cut_disk *disk);

/// Cuts the power, where it is on, and starts the machine again with what the disk has.
void power_cut_disk_restart(power_cut_disk *disk);

/// Flips a bit of a file, that with the number `bit` modulo their count, on the disk and in the page cache; false where
/// there is no such file, or it is empty. Nothing tells the file's user.
bool power_cut_disk_flip(power_cut_disk *disk, const char *path, uint64_t bit);

/// What the disks of this process have done to files: writes, syncs, truncations, deletions.
uint64_t power_cut_disk_operations(const power_cut_disk *disk);

/// Unsynced writes, truncations and names that restarts found.
uint64_t power_cut_disk_unsynced(const power_cut_disk *disk);
