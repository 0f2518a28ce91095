import BelfryClient
import BelfryWire
import Foundation
import UserNotifications

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, AlwaysUseLowerCamelCase
/// The singleton app object, created at its first use.
@preconcurrency @MainActor
public var NSApp: NSApplication! { NSApplication.shared }

/// The app object, a singleton that is used on the main thread.
///
/// Nothing is drawn on this system; the agent manages the app's life cycle and notifications.
///
/// A process counts as being in the foreground from its start until the agent reports another state, unless the agent
/// started it in the background. An app without a Dock icon (`LSUIElement`, `NSApplication.ActivationPolicy.accessory`)
/// is in the foreground only while it has a key window.
@preconcurrency @MainActor
open class NSApplication: NSResponder {
  private static let only = NSApplication()

  /// The singleton app object, created at its first use.
  open class var shared: NSApplication { only }

  /// The delegate, which handles the app's life cycle and its notifications; not retained.
  open weak var delegate: (any NSApplicationDelegate)?

  let session = AgentSession.shared
  var isLaunched = false
  var waitsForTerminationReply = false
  var policy = ActivationPolicy.declared(by: Bundle.main.infoDictionary ?? [:])

  /// The app's Dock tile, which shows the badge.
  public let dockTile = NSDockTile()

  /// A Boolean value that indicates whether the app is active.
  open internal(set) var isActive = false

  /// A Boolean value that indicates whether the app is hidden; always false, because nothing is drawn.
  open var isHidden: Bool { false }

  /// A Boolean value that indicates whether the main run loop is running.
  open internal(set) var isRunning = false

  /// The windows that are on screen.
  open internal(set) var windows: [NSWindow] = []

  /// The window that was ordered to the front last; nil if no window is on screen.
  open var mainWindow: NSWindow? { windows.last }

  /// The window that receives keyboard input: the open window that most recently became the key window.
  open internal(set) weak var keyWindow: NSWindow?

  /// The icon of the app; stored, but has no effect.
  open var applicationIconImage: NSImage?

  /// Sets whether the app has a Dock icon and a menu, and returns true.
  ///
  /// An app without a Dock icon moves to the background unless it has a key window. In the background, the app's
  /// notifications are shown.
  @discardableResult
  open func setActivationPolicy(_ activationPolicy: NSApplication.ActivationPolicy) -> Bool {
    policy = activationPolicy
    leaveFrontUnlessAllowed()
    return true
  }

  /// Returns the activation policy of the app.
  open func activationPolicy() -> NSApplication.ActivationPolicy { policy }

  /// Moves the app to the foreground.
  open func activate() { becomeActive() }

  /// Moves the app to the foreground.
  @available(macOS, deprecated: 14.0, message: "Use activate()")
  open func activate(ignoringOtherApps flag: Bool) { becomeActive() }

  /// Moves the app to the background.
  open func deactivate() { resignActive() }

  /// Has no effect on this system, where nothing is drawn.
  open func hide(_ sender: Any?) {}

  /// Has no effect on this system, where nothing is drawn.
  open func unhide(_ sender: Any?) {}

  /// Has no effect on this system, which has no About panel.
  open func orderFrontStandardAboutPanel(_ sender: Any?) {}

  /// Has no effect on this system, which has no Dock.
  ///
  /// Returns a number that can be passed to `cancelUserAttentionRequest(_:)`.
  @discardableResult
  open func requestUserAttention(_ requestType: NSApplication.RequestUserAttentionType) -> Int { 0 }

  /// Has no effect on this system.
  open func cancelUserAttentionRequest(_ request: Int) {}
}

extension NSApplication {
  /// The delegate's replies to a request to terminate the app.
  public enum TerminateReply: UInt, Sendable {
    /// The app must not terminate.
    case terminateCancel = 0
    /// The app can terminate now.
    case terminateNow = 1
    /// The app decides later, by calling `reply(toApplicationShouldTerminate:)`.
    case terminateLater = 2
  }

  /// The results of opening or printing files.
  public enum DelegateReply: UInt, Sendable {
    /// The operation completed successfully.
    case success = 0
    /// The user cancelled the operation.
    case cancel = 1
    /// The operation failed with an error.
    case failure = 2
  }

  /// The levels of urgency of a request for user attention.
  public enum RequestUserAttentionType: UInt, Sendable {
    /// The request lasts until the app becomes active.
    case criticalRequest = 0
    /// The request lasts for a short time.
    case informationalRequest = 10
  }

  /// The user's response to a modal dialog.
  public struct ModalResponse: RawRepresentable, Hashable, Sendable {
    /// The number of the response, as on Apple's systems.
    public var rawValue: Int

    /// Creates a response from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Creates a response from its number.
    public init(_ rawValue: Int) { self.rawValue = rawValue }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The user chose the OK button.
    public static let OK = ModalResponse(rawValue: 1)
    /// The user chose the Cancel button.
    public static let cancel = ModalResponse(rawValue: 0)
    /// The dialog was stopped.
    public static let stop = ModalResponse(rawValue: -1000)
    /// The dialog was aborted.
    public static let abort = ModalResponse(rawValue: -1001)
    /// The modal dialog continues.
    public static let `continue` = ModalResponse(rawValue: -1002)
    /// The user chose the first button of an alert.
    public static let alertFirstButtonReturn = ModalResponse(rawValue: 1000)
    /// The user chose the second button of an alert.
    public static let alertSecondButtonReturn = ModalResponse(rawValue: 1001)
    /// The user chose the third button of an alert.
    public static let alertThirdButtonReturn = ModalResponse(rawValue: 1002)
  }
}
