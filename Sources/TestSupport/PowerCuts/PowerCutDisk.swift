import CPowerCut

/// A folder on a simulated disk: when the power is cut, the files that SQLite has written lose all unsynced data.
final class PowerCutDisk {
  private let disk: OpaquePointer

  /// Creates a disk for the files in `folder`; `seed` determines all random choices.
  init(folder: String, seed: UInt64) {
    guard let disk = power_cut_disk_new(folder, seed) else {
      preconditionFailure("creating the disk failed")
    }
    self.disk = disk
  }

  deinit { power_cut_disk_free(disk) }

  /// True if the power was cut.
  var isOff: Bool { power_cut_disk_is_off(disk) }
  /// True if a sync has failed since the last restart.
  var hasFailed: Bool { power_cut_disk_has_failed(disk) }
  /// The number of writes, syncs, truncations, and deletions so far.
  var operationCount: UInt64 { power_cut_disk_operations(disk) }
  /// The total number of changes that were unsynced when the power was cut.
  var unsyncedCount: UInt64 { power_cut_disk_unsynced(disk) }

  /// Schedules a power cut after this number of operations.
  func cut(afterOperations count: UInt64) { power_cut_disk_arm(disk, count) }

  /// Makes a sync fail after this number of successful syncs.
  func failSync(after count: UInt64) { power_cut_disk_fail_sync(disk, count) }

  /// Flips a bit in the file at `path`.
  ///
  /// Returns false if the file does not exist or is empty.
  func flip(_ path: String, bit: UInt64) -> Bool { power_cut_disk_flip(disk, path, bit) }

  /// Cuts the power, and restarts the machine.
  func restart() { power_cut_disk_restart(disk) }
}
