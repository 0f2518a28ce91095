import Storage

/// The real stores on SQLite, whose disk loses what was not synced: power cuts at any operation of the disk, amid
/// commits, checkpoints, migrations and starts, and syncs that fail.
///
/// Promised after each start: what was acknowledged is there; a write that was cut off is there whole or not at
/// all; nothing else is; no file is damaged, and no loss is reported. At the end of a world a bit of the store's file
/// flips while no connection is open: then the start says so, or nothing has changed, and nothing is there that was not
/// written.
public enum PowerCutSimulation {
  /// What one world showed.
  public struct Outcome: Sendable {
    /// The world.
    public let seed: UInt64
    /// The first promise that was broken.
    public let violation: String?
    /// How often the power went.
    public let cuts: Int
    /// Writes that were acknowledged.
    public let acknowledged: Int
    /// Changes of the disk that were not synced when the power went.
    public let unsynced: UInt64
    /// The result of a flipped bit: "unchanged", "damaged" or "set aside"; nil if no bit was flipped.
    public let flip: String?
    /// For people.
    public let report: String
  }

  /// Plays the world of `seed`.
  public static func run(seed: UInt64) -> Outcome {
    switch seed % 8 {
    case 0..<4: PowerCutWorld<NotificationsUnderPowerCuts>(seed: seed).run()
    case 4, 5: PowerCutWorld<ControlUnderPowerCuts>(seed: seed).run()
    case 6: PowerCutWorld<RegistryUnderPowerCuts>(seed: seed).run()
    default: PowerCutWorld<RecordsUnderPowerCuts>(seed: seed).run()
    }
  }
}
