import CPowerCut

/// A folder whose files, as SQLite sees them, lose what was not synced when the power goes.
final class PowerCutDisk {
  private let disk: OpaquePointer

  /// A disk for the files in `folder`; chance is determined by `seed`.
  init(folder: String, seed: UInt64) {
    guard let disk = power_cut_disk_new(folder, seed) else {
      preconditionFailure("a disk is made or the process ends")
    }
    self.disk = disk
  }

  deinit { power_cut_disk_free(disk) }

  /// Whether the power has gone.
  var isOff: Bool { power_cut_disk_is_off(disk) }
  /// Whether a sync has failed since the last restart.
  var hasFailed: Bool { power_cut_disk_has_failed(disk) }
  /// Writes, syncs, truncations and deletions so far.
  var operationCount: UInt64 { power_cut_disk_operations(disk) }
  /// Unsynced changes that cuts found.
  var unsyncedCount: UInt64 { power_cut_disk_unsynced(disk) }

  /// Lets the power go after so many operations.
  func cut(afterOperations count: UInt64) { power_cut_disk_arm(disk, count) }

  /// Lets one sync fail, after so many that succeed.
  func failSync(after count: UInt64) { power_cut_disk_fail_sync(disk, count) }

  /// Flips a bit of the file at `path`; whether there was one.
  func flip(_ path: String, bit: UInt64) -> Bool { power_cut_disk_flip(disk, path, bit) }

  /// Cuts the power, and starts the machine again.
  func restart() { power_cut_disk_restart(disk) }
}
