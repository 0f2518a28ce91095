public import Foundation
import UserNotifications

/// The kinds of devices that an app can run on.
public enum UIUserInterfaceIdiom: Int, Sendable {
  /// The kind of device is unknown, as it always is on this system.
  case unspecified = -1
  /// An iPhone or iPod touch.
  case phone = 0
  /// A tablet, such as an iPad.
  case pad = 1
  /// An Apple TV device.
  case tv = 2
  /// A display in a car.
  case carPlay = 3
  /// A Mac desktop or laptop.
  case mac = 5
  /// An Apple Vision device.
  case vision = 6
}

/// The machine that the app runs on.
@preconcurrency @MainActor
open class UIDevice: NSObject {
  /// The states of the battery.
  public enum BatteryState: Int, Sendable {
    /// The state of the battery is unknown, as it always is on this system.
    case unknown = 0
    /// The device runs on battery power.
    case unplugged = 1
    /// The battery is being charged.
    case charging = 2
    /// The battery is full.
    case full = 3
  }

  private static let only = UIDevice()

  /// The machine that the app runs on.
  open class var current: UIDevice { only }

  /// The host name of the machine.
  open var name: String { ProcessInfo.processInfo.hostName }

  /// The model of the machine: `Linux`.
  open var model: String { "Linux" }

  /// The model of the machine in the user's language.
  open var localizedModel: String { model }

  /// The name of the system: `Linux`.
  open var systemName: String { "Linux" }

  /// The version of the kernel, as three numbers.
  open var systemVersion: String {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
  }

  /// An identifier that all apps of a vendor share on this machine; nil if the app has no ID.
  ///
  /// The vendor is the app's ID without its last component.
  open var identifierForVendor: UUID? { VendorIdentifier.make() }

  /// The kind of device; always unspecified.
  open var userInterfaceIdiom: UIUserInterfaceIdiom { .unspecified }

  /// A Boolean value that indicates whether battery monitoring is enabled; stored, but has no effect.
  open var isBatteryMonitoringEnabled = false

  /// The charge level of the battery; always -1 (unknown).
  open var batteryLevel: Float { -1 }

  /// The state of the battery; always unknown.
  open var batteryState: BatteryState { .unknown }

  /// A Boolean value that indicates whether apps can run in the background; always true.
  open var isMultitaskingSupported: Bool { true }
}
