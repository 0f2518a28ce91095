import BelfryClient
public import Foundation

/// A running app; only the current one is known.
open class NSRunningApplication: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// Options of an activation; without effect.
  public struct ActivationOptions: OptionSet, Sendable {
    /// The bits, as on Apple's systems.
    public let rawValue: UInt

    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Brings all of the app's windows to the front.
    public static let activateAllWindows = ActivationOptions(rawValue: 1 << 0)
    /// Activates the app even while another one is active.
    public static let activateIgnoringOtherApps = ActivationOptions(rawValue: 1 << 1)
  }

  private static let only = NSRunningApplication(processIdentifier: getpid())

  /// The process's identifier.
  public let processIdentifier: pid_t

  private init(processIdentifier: pid_t) { self.processIdentifier = processIdentifier }

  /// The current app.
  open class var current: NSRunningApplication { only }

  /// The running apps with a bundle identifier: the current one, or none.
  open class func runningApplications(
    withBundleIdentifier bundleIdentifier: String
  ) -> [NSRunningApplication] { bundleIdentifier == only.bundleIdentifier ? [only] : [] }

  /// The bundle identifier.
  open var bundleIdentifier: String? { AppIdentity.current.appID ?? Bundle.main.bundleIdentifier }

  /// The bundle's folder.
  open var bundleURL: URL? { Bundle.main.bundleURL }

  /// The executable's file.
  open var executableURL: URL? { Bundle.main.executableURL }

  /// The localized name.
  open var localizedName: String? {
    AppIdentity.current.name ?? ProcessInfo.processInfo.processName
  }

  /// Whether the app has launched.
  open var isFinishedLaunching: Bool { true }

  /// Whether the app has terminated.
  open var isTerminated: Bool { false }

  /// Activates the app; true once the attempt is queued.
  @discardableResult
  open func activate(options: ActivationOptions = []) -> Bool {
    DispatchQueue.main.async { MainActor.assumeIsolated { NSApplication.shared.activate() } }
    return true
  }

  /// Terminates the app as its menu does; true once the attempt is queued.
  @discardableResult
  open func terminate() -> Bool {
    DispatchQueue.main.async { MainActor.assumeIsolated { NSApplication.shared.terminate(nil) } }
    return true
  }
}
