import Storage
import System

/// A random number that is drawn at each start of a gateway.
///
/// The numbers of new devices contain the epoch. Both databases store it too, so that a start can detect whether one of
/// them was restored from a backup.
struct FolderEpoch {
  /// The epoch of this start: 31 bits, never 0, and different from the epoch of any device in the store.
  let number: UInt32
  /// A notice for the operator about the folder; nil if both databases are equally recent.
  let restoration: String?

  /// Draws the epoch of a start and writes it to both databases, first to the control store.
  ///
  /// A start can be interrupted between the two writes, so the control store also keeps the last epoch that both
  /// databases had.
  static func begin(
    in control: any ControlStore, _ notifications: any NotificationStore
  ) throws(StorageFailure) -> FolderEpoch {
    let kept = try Kept(control)
    let other = try notifications.epoch()
    // If one of the values might be damaged, the two can't be compared.
    let isKnown =
      !control.damage.mayHave(.setting(ControlSetting.epoch))
      && !notifications.damage.has(table: "progress")
    let epoch = FolderEpoch(
      number: try draw(control),
      restoration: isKnown ? restoration(kept, notifications: other) : nil)
    try Kept(current: epoch.number, agreed: other).put(into: control)
    try notifications.putEpoch(epoch.number)
    try Kept(current: epoch.number, agreed: epoch.number).put(into: control)
    return epoch
  }

  /// Draws the epoch of a node of a cluster, which isn't stored.
  static func draw(in control: any ControlStore) throws(StorageFailure) -> FolderEpoch {
    FolderEpoch(number: try draw(control), restoration: nil)
  }

  /// The epochs in the control store.
  private struct Kept {
    var current: UInt32 = 0
    /// The last epoch that the notification store was known to have.
    var agreed: UInt32 = 0

    init(current: UInt32, agreed: UInt32) {
      self.current = current
      self.agreed = agreed
    }

    /// Reads the epochs; they are zero if the store is new or from an earlier release.
    init(_ control: any ControlStore) throws(StorageFailure) {
      let bytes = try control.setting(ControlSetting.epoch) ?? []
      let words = String(decoding: bytes, as: UTF8.self).split(separator: " ").map { UInt32($0) }
      let isWhole = words.count == 2 && !words.contains(nil)
      self.init(current: isWhole ? words[0] ?? 0 : 0, agreed: isWhole ? words[1] ?? 0 : 0)
    }

    func put(into control: any ControlStore) throws(StorageFailure) {
      try control.apply([
        .putSetting(name: ControlSetting.epoch, value: Array("\(current) \(agreed)".utf8))
      ])
    }
  }

  private static func draw(_ control: any ControlStore) throws(StorageFailure) -> UInt32 {
    var random = SystemRandom.Generator()
    while true {
      let number = UInt32.random(in: 1..<1 << UInt32(DeviceNumbers.epochBits), using: &random)
      guard try control.hasDevice(numbered: DeviceNumbers.numbers(ofEpoch: number)) else {
        return number
      }
    }
  }

  private static func restoration(_ kept: Kept, notifications other: UInt32) -> String? {
    if other == kept.current || other == kept.agreed { return nil }
    if kept.current == 0 {
      return
        "control.sqlite is new or older than notifications.sqlite: devices that it does not contain "
        + "must enroll again, and notifications stored for them are kept until they expire"
    }
    if other == 0 {
      return
        "notifications.sqlite is new or older than control.sqlite: notifications stored since then are lost"
    }
    return "control.sqlite and notifications.sqlite do not match: one of them was restored "
      + "from a copy; unknown devices must enroll again"
  }
}
