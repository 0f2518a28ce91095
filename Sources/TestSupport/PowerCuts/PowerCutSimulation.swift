import Storage

/// A simulation of the real stores on SQLite, using a disk that loses unsynced data.
///
/// Power can be cut at any disk operation: during commits, checkpoints, migrations, and starts. Syncs can also fail.
///
/// After each start, the following must hold:
///
/// - Acknowledged writes are present.
/// - An interrupted write is either completely present or completely absent.
/// - Nothing else is present.
/// - No file is damaged, and no loss is reported.
///
/// At the end of each run, a bit in the store's file is flipped while no connection is open. The next start must then
/// report the damage or find all data unchanged. It must not return anything that was never written.
public enum PowerCutSimulation {
  /// The result of a world.
  public struct Outcome: Sendable {
    /// The seed of the world.
    public let seed: UInt64
    /// The first violation of a property; nil if every property held.
    public let violation: String?
    /// The number of power cuts.
    public let cuts: Int
    /// The number of acknowledged writes.
    public let acknowledged: Int
    /// The number of disk changes that were unsynced when the power was cut.
    public let unsynced: UInt64
    /// The result of the flipped bit: "unchanged", "damaged", or "set aside"; nil if no bit was flipped.
    public let flip: String?
    /// A summary for developers.
    public let report: String
  }

  /// Runs the world generated from `seed`.
  public static func run(seed: UInt64) -> Outcome {
    switch seed % 8 {
    case 0..<4: PowerCutWorld<NotificationsUnderPowerCuts>(seed: seed).run()
    case 4, 5: PowerCutWorld<ControlUnderPowerCuts>(seed: seed).run()
    case 6: PowerCutWorld<RegistryUnderPowerCuts>(seed: seed).run()
    default: PowerCutWorld<RecordsUnderPowerCuts>(seed: seed).run()
    }
  }

  /// Runs a world whose notification store removes records in the wrong order, which must be found.
  public static func runInReverse(seed: UInt64) -> Outcome {
    PowerCutWorld<NotificationsSweptInReverse>(seed: seed).run()
  }
}
