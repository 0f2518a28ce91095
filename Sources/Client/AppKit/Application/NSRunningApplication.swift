import BelfryClient
public import Foundation

/// A running app.
///
/// On this system, an app can find only itself.
open class NSRunningApplication: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The options for activating an app; they have no effect.
  public struct ActivationOptions: OptionSet, Sendable {
    /// The raw bits of the set, as on Apple's systems.
    public let rawValue: UInt

    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The option to bring all windows of the app to the front.
    public static let activateAllWindows = ActivationOptions(rawValue: 1 << 0)
    /// The option to activate the app even while another app is active.
    public static let activateIgnoringOtherApps = ActivationOptions(rawValue: 1 << 1)
  }

  private static let only = NSRunningApplication(processIdentifier: getpid())

  /// The process ID of the app.
  public let processIdentifier: pid_t

  private init(processIdentifier: pid_t) { self.processIdentifier = processIdentifier }

  /// The app of this process.
  open class var current: NSRunningApplication { only }

  /// Returns the current app if it has the given bundle identifier; otherwise, returns an empty array.
  open class func runningApplications(
    withBundleIdentifier bundleIdentifier: String
  ) -> [NSRunningApplication] { bundleIdentifier == only.bundleIdentifier ? [only] : [] }

  /// The bundle identifier of the app.
  open var bundleIdentifier: String? { AppIdentity.current.appID ?? Bundle.main.bundleIdentifier }

  /// The URL of the app's bundle.
  open var bundleURL: URL? { Bundle.main.bundleURL }

  /// The URL of the app's executable.
  open var executableURL: URL? { Bundle.main.executableURL }

  /// The localized name of the app.
  open var localizedName: String? {
    AppIdentity.current.name ?? ProcessInfo.processInfo.processName
  }

  /// A Boolean value that indicates whether the app has finished launching; always true.
  open var isFinishedLaunching: Bool { true }

  /// A Boolean value that indicates whether the app has terminated; always false.
  open var isTerminated: Bool { false }

  /// Activates the app.
  ///
  /// Returns true, because the request is always queued.
  @discardableResult
  open func activate(options: ActivationOptions = []) -> Bool {
    DispatchQueue.main.async { MainActor.assumeIsolated { NSApplication.shared.activate() } }
    return true
  }

  /// Terminates the app as if the user had chosen Quit.
  ///
  /// Returns true, because the request is always queued.
  @discardableResult
  open func terminate() -> Bool {
    DispatchQueue.main.async { MainActor.assumeIsolated { NSApplication.shared.terminate(nil) } }
    return true
  }
}
