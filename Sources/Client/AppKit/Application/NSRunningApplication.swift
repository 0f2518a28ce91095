import BelfryClient
public import Foundation

/// A running app: of this one everything is known, of others nothing.
open class NSRunningApplication: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// How an app is brought to the front; without effect.
  public struct ActivationOptions: OptionSet, Sendable {
    /// The bits, as on Apple's systems.
    public let rawValue: UInt

    /// A set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// All of the app's windows.
    public static let activateAllWindows = ActivationOptions(rawValue: 1 << 0)
    /// Also while another app is in front.
    public static let activateIgnoringOtherApps = ActivationOptions(rawValue: 1 << 1)
  }

  private static let only = NSRunningApplication(processIdentifier: getpid())

  /// Its process.
  public let processIdentifier: pid_t

  private init(processIdentifier: pid_t) { self.processIdentifier = processIdentifier }

  /// This app.
  open class var current: NSRunningApplication { only }

  /// The running apps of an id: this one alone is known.
  open class func runningApplications(
    withBundleIdentifier bundleIdentifier: String
  ) -> [NSRunningApplication] { bundleIdentifier == only.bundleIdentifier ? [only] : [] }

  /// Its id.
  open var bundleIdentifier: String? { AppIdentity.current.appID ?? Bundle.main.bundleIdentifier }

  /// Its folder.
  open var bundleURL: URL? { Bundle.main.bundleURL }

  /// Its executable.
  open var executableURL: URL? { Bundle.main.executableURL }

  /// Its name for people.
  open var localizedName: String? {
    AppIdentity.current.name ?? ProcessInfo.processInfo.processName
  }

  /// Whether it has launched.
  open var isFinishedLaunching: Bool { true }

  /// Whether it has ended.
  open var isTerminated: Bool { false }

  /// Brings it to the front, and says that it was tried.
  @discardableResult
  open func activate(options: ActivationOptions = []) -> Bool {
    DispatchQueue.main.async { MainActor.assumeIsolated { NSApplication.shared.activate() } }
    return true
  }

  /// Ends it as its own menu would, and says that it was tried.
  @discardableResult
  open func terminate() -> Bool {
    DispatchQueue.main.async { MainActor.assumeIsolated { NSApplication.shared.terminate(nil) } }
    return true
  }
}
