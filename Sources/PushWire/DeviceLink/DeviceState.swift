/// The part of a device's state that affects delivery, encoded as one byte in HELLO and STATE.
public struct DeviceState: OptionSet, Hashable, Sendable {
  /// The byte in the frame.
  public let rawValue: UInt8

  /// Creates the state for `rawValue`.
  ///
  /// Ignores bits that this version does not know.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue & 0x0F }

  /// The device is asleep.
  ///
  /// Priority 5 notifications wait until the device wakes for another reason, but for at most 5 minutes. Priority 1
  /// notifications wait without a time limit.
  public static let asleep = DeviceState(rawValue: 1)
  /// The device restricts its power consumption.
  ///
  /// Notifications with priority 5 or 1 are held until this flag is cleared.
  public static let powerRestricted = DeviceState(rawValue: 2)
  /// The device's battery is low.
  ///
  /// This flag is for statistics and policies; it does not affect the link.
  public static let batteryLow = DeviceState(rawValue: 4)
  /// The device's network connection is metered.
  ///
  /// This flag is for statistics and policies; it does not affect the link.
  public static let metered = DeviceState(rawValue: 8)
}
