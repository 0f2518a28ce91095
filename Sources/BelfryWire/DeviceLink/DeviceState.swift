/// The state of a device that matters for delivery; one byte in HELLO and STATE.
public struct DeviceState: OptionSet, Hashable, Sendable {
  /// The byte on the wire.
  public let rawValue: UInt8

  /// The state that `rawValue` stands for; bits that this version does not know are dropped.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue & 0x0F }

  /// Priority 5 waits for the device's next reason to be awake, 5 minutes at most; priority 1 waits
  /// without that bound.
  public static let asleep = DeviceState(rawValue: 1)
  /// Priorities 5 and 1 are kept until this is lifted.
  public static let powerRestricted = DeviceState(rawValue: 2)
  /// The battery is low: for statistics and policies, no rule of the link's own.
  public static let batteryLow = DeviceState(rawValue: 4)
  /// The network costs money: likewise.
  public static let metered = DeviceState(rawValue: 8)
}
