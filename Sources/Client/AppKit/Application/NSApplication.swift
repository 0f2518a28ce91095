import BelfryClient
import BelfryWire
import Foundation
import UserNotifications

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, AlwaysUseLowerCamelCase
/// The app.
@preconcurrency @MainActor
public var NSApp: NSApplication! { NSApplication.shared }

/// The app: one object, for the main thread.
///
/// There is no interface here; the app's life and its notifications are the agent's.
///
/// A process counts as in front from its start, unless the agent started it in the background, until the
/// agent says otherwise. One without a place in the dock (`LSUIElement`, `NSApplication.ActivationPolicy.accessory`)
/// is in front only while it has a key window.
@preconcurrency @MainActor
open class NSApplication: NSResponder {
  private static let only = NSApplication()

  /// The app.
  open class var shared: NSApplication { only }

  /// The delegate, which handles the app's life cycle and its notifications; not retained.
  open weak var delegate: (any NSApplicationDelegate)?

  let session = AgentSession.shared
  var isLaunched = false
  var waitsForTerminationReply = false
  var policy = ActivationPolicy.declared(by: Bundle.main.infoDictionary ?? [:])

  /// The app's tile: it carries the badge.
  public let dockTile = NSDockTile()

  /// Whether the app is in front.
  open internal(set) var isActive = false

  /// Whether the app is hidden: never, there is nothing to hide.
  open var isHidden: Bool { false }

  /// Whether the run loop runs.
  open internal(set) var isRunning = false

  /// The windows that were ordered in.
  open internal(set) var windows: [NSWindow] = []

  /// The window in front.
  open var mainWindow: NSWindow? { windows.last }

  /// The window that receives the keyboard's input: the last one that was made key and is not closed.
  open internal(set) weak var keyWindow: NSWindow?

  /// The app's picture; stored, without effect.
  open var applicationIconImage: NSImage?

  /// Sets whether the app has a place in the dock and a menu.
  ///
  /// An app without one leaves the front unless it has a key window, so that its notifications are shown.
  @discardableResult
  open func setActivationPolicy(_ activationPolicy: NSApplication.ActivationPolicy) -> Bool {
    policy = activationPolicy
    leaveFrontUnlessAllowed()
    return true
  }

  /// Whether the app has a place in the dock and a menu.
  open func activationPolicy() -> NSApplication.ActivationPolicy { policy }

  /// Brings the app to the front.
  open func activate() { becomeActive() }

  /// Brings the app to the front.
  @available(macOS, deprecated: 14.0, message: "Use activate()")
  open func activate(ignoringOtherApps flag: Bool) { becomeActive() }

  /// Moves the app to the background.
  open func deactivate() { resignActive() }

  /// Does nothing: there is nothing to hide.
  open func hide(_ sender: Any?) {}

  /// Does nothing: there is nothing to hide.
  open func unhide(_ sender: Any?) {}

  /// Does nothing: there is no panel.
  open func orderFrontStandardAboutPanel(_ sender: Any?) {}

  /// Does nothing: there is no dock that could jump.
  ///
  /// Returns a number for cancelling.
  @discardableResult
  open func requestUserAttention(_ requestType: NSApplication.RequestUserAttentionType) -> Int { 0 }

  /// Does nothing.
  open func cancelUserAttentionRequest(_ request: Int) {}
}

extension NSApplication {
  /// Whether the app ends when it is asked to.
  public enum TerminateReply: UInt, Sendable {
    /// It does not.
    case terminateCancel = 0
    /// It does.
    case terminateNow = 1
    /// It decides later.
    case terminateLater = 2
  }

  /// Whether opening files worked.
  public enum DelegateReply: UInt, Sendable {
    /// It did.
    case success = 0
    /// The user does not want it.
    case cancel = 1
    /// It did not.
    case failure = 2
  }

  /// How urgently the app wants to be looked at.
  public enum RequestUserAttentionType: UInt, Sendable {
    /// Until it is.
    case criticalRequest = 0
    /// For a moment.
    case informationalRequest = 10
  }

  /// How a question was answered.
  public struct ModalResponse: RawRepresentable, Hashable, Sendable {
    /// The number, as on Apple's systems.
    public var rawValue: Int

    /// A response from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A response from its number.
    public init(_ rawValue: Int) { self.rawValue = rawValue }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Yes.
    public static let OK = ModalResponse(rawValue: 1)
    /// No.
    public static let cancel = ModalResponse(rawValue: 0)
    /// The question was taken back.
    public static let stop = ModalResponse(rawValue: -1000)
    /// The question was taken back in haste.
    public static let abort = ModalResponse(rawValue: -1001)
    /// It goes on.
    public static let `continue` = ModalResponse(rawValue: -1002)
    /// The first button of an alert.
    public static let alertFirstButtonReturn = ModalResponse(rawValue: 1000)
    /// The second button of an alert.
    public static let alertSecondButtonReturn = ModalResponse(rawValue: 1001)
    /// The third button of an alert.
    public static let alertThirdButtonReturn = ModalResponse(rawValue: 1002)
  }
}
