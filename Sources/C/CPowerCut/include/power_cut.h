#pragma once
#include <stdbool.h>
#include <stdint.h>

// A simulated disk below SQLite that loses unsynced data when the power is cut, for use in tests.
//
// The files in a disk's folder exist in memory. Written data can be read immediately, as from a page cache, but is on
// the disk only after a sync. When the power is cut, each write since the last sync is present, lost, or torn at sector
// boundaries, in any order, and each name that was created or deleted since then might or might not exist. Paths
// outside the folder refer to the system's own files.
//
// Functions can be called from any thread. The disks in a process are independent of each other.

typedef struct power_cut_disk power_cut_disk;

/// Creates a disk for all files whose paths begin with `folder`; `seed` determines its random decisions.
power_cut_disk *power_cut_disk_new(const char *folder, uint64_t seed);

/// Frees the disk, whose files must all be closed.
void power_cut_disk_free(power_cut_disk *disk);

/// Schedules a power cut after `operations` more writes, syncs, truncations, or deletions, immediately before the next
/// one.
void power_cut_disk_arm(power_cut_disk *disk, uint64_t operations);

/// Causes a sync to fail after `syncs` more syncs.
///
/// The changes that the sync would have written are lost or partially written, and later syncs succeed without them.
void power_cut_disk_fail_sync(power_cut_disk *disk, uint64_t syncs);

/// Returns true if the power is off.
///
/// While the power is off, every call fails until the restart.
bool power_cut_disk_is_off(const power_cut_disk *disk);

/// Returns true if a sync has failed since the last restart.
bool power_cut_disk_has_failed(const power_cut_disk *disk);

/// Cuts the power if it is on, and restarts the machine with the contents of the disk.
void power_cut_disk_restart(power_cut_disk *disk);

/// Flips a bit of a file, both on the disk and in the page cache; returns false if the file doesn't exist or is empty.
///
/// The number of the bit is `bit` modulo the number of bits in the file. The program that uses the file isn't notified.
bool power_cut_disk_flip(power_cut_disk *disk, const char *path, uint64_t bit);

/// Returns the number of operations on the disk's files: writes, syncs, truncations, and deletions.
uint64_t power_cut_disk_operations(const power_cut_disk *disk);

/// Returns the number of unsynced writes, truncations, and names at the time of each restart, summed over all restarts.
uint64_t power_cut_disk_unsynced(const power_cut_disk *disk);
