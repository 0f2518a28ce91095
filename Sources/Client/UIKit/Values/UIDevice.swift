public import Foundation
import UserNotifications

/// What kind of device the app is on.
public enum UIUserInterfaceIdiom: Int, Sendable {
  /// Not known, as always on this system.
  case unspecified = -1
  /// A telephone.
  case phone = 0
  /// A tablet.
  case pad = 1
  /// A television.
  case tv = 2
  /// A car.
  case carPlay = 3
  /// A Mac.
  case mac = 5
  /// A headset.
  case vision = 6
}

/// The machine that the app runs on.
@preconcurrency @MainActor
open class UIDevice: NSObject {
  /// How the battery is doing.
  public enum BatteryState: Int, Sendable {
    /// Not known, as always on this system.
    case unknown = 0
    /// On battery.
    case unplugged = 1
    /// Charging.
    case charging = 2
    /// Full.
    case full = 3
  }

  private static let only = UIDevice()

  /// The machine.
  open class var current: UIDevice { only }

  /// The machine's host name.
  open var name: String { ProcessInfo.processInfo.hostName }

  /// What kind of machine: `Linux`.
  open var model: String { "Linux" }

  /// What kind of machine, in the user's language.
  open var localizedModel: String { model }

  /// The system's name: `Linux`.
  open var systemName: String { "Linux" }

  /// The kernel's version, as three numbers.
  open var systemVersion: String {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
  }

  /// One identifier for all apps of a vendor on this machine: made from the machine's own id and
  /// the app's id without its last part; nil when either is missing.
  open var identifierForVendor: UUID? { VendorIdentifier.make() }

  /// What kind of device: not known.
  open var userInterfaceIdiom: UIUserInterfaceIdiom { .unspecified }

  /// Whether the battery is watched; stored, without effect.
  open var isBatteryMonitoringEnabled = false

  /// The battery's charge: -1, not known.
  open var batteryLevel: Float { -1 }

  /// How the battery is doing: not known.
  open var batteryState: BatteryState { .unknown }

  /// Whether apps can go on in the background: they can.
  open var isMultitaskingSupported: Bool { true }
}
