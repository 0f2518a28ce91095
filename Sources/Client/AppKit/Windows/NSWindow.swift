public import Foundation

/// A window.
///
/// Nothing is drawn; the window calls the life-cycle methods of its view controller.
@preconcurrency @MainActor
open class NSWindow: NSResponder {
  /// The title of the window.
  open var title = ""

  /// The rectangle of the window, which only the initializer sets.
  open private(set) var frame: NSRect

  /// The view that fills the window.
  open var contentView: NSView?

  /// The view controller whose view fills the window.
  open var contentViewController: NSViewController? {
    didSet {
      contentView = contentViewController?.view
      if isVisible { contentViewController?.appear() }
    }
  }

  /// A Boolean value that indicates whether the window is on screen.
  open private(set) var isVisible = false

  /// The style of the window, which determines whether the window can become the key window; nothing is drawn.
  open var styleMask: NSWindow.StyleMask = .titled

  /// A Boolean value that indicates whether the window can become the key window.
  ///
  /// By default, a window can become the key window if it has a title bar or is resizable.
  open var canBecomeKey: Bool { !styleMask.isDisjoint(with: [.titled, .resizable]) }

  /// A Boolean value that indicates whether the window is the key window, which receives keyboard input.
  open var isKeyWindow: Bool { NSApplication.shared.keyWindow === self }

  /// A Boolean value that indicates whether the window is released when it is closed; stored, but has no effect.
  open var isReleasedWhenClosed = true

  /// Creates a window with an empty rectangle.
  public override convenience init() { self.init(contentRect: .zero) }

  /// Creates a window with the given rectangle.
  public init(contentRect: NSRect) {
    frame = contentRect
    super.init()
  }

  /// Creates a window with the given rectangle and style.
  public convenience init(
    contentRect: NSRect, styleMask style: NSWindow.StyleMask,
    backing backingStoreType: NSWindow.BackingStoreType, defer flag: Bool
  ) {
    self.init(contentRect: contentRect)
    styleMask = style
  }

  /// Creates a window and fills it with the view of a view controller.
  public convenience init(contentViewController: NSViewController) {
    self.init(contentRect: .zero)
    self.contentViewController = contentViewController
    contentView = contentViewController.view
  }

  /// Creates an empty window, because there are no interface files on this system.
  public required init?(coder: NSCoder) {
    frame = .zero
    super.init(coder: coder)
  }

  /// Moves the window to the front and makes it the key window.
  open func makeKeyAndOrderFront(_ sender: Any?) {
    orderFront(sender)
    makeKey()
  }

  /// Makes the window the key window, if it can become the key window.
  open func makeKey() {
    guard isVisible, canBecomeKey else { return }
    NSApplication.shared.keyWindow = self
    NSApplication.shared.onKeyWindowChanged()
  }

  /// Moves the window to the front.
  open func orderFront(_ sender: Any?) {
    let application = NSApplication.shared
    application.windows.removeAll { $0 === self }
    application.windows.append(self)
    isVisible = true
    contentViewController?.appear()
  }

  /// Moves the window to the front.
  open func orderFrontRegardless() { orderFront(nil) }

  /// Removes the window from the screen.
  ///
  /// If it was the key window, the frontmost remaining window that can become the key window takes its place.
  open func orderOut(_ sender: Any?) {
    guard isVisible else { return }
    isVisible = false
    let application = NSApplication.shared
    application.windows.removeAll { $0 === self }
    if isKeyWindow {
      application.keyWindow = application.windows.last { $0.canBecomeKey }
      application.onKeyWindowChanged()
    }
    contentViewController?.disappear()
  }

  /// Closes the window.
  ///
  /// After the last window closes, the app terminates if its delegate returns true from
  /// `applicationShouldTerminateAfterLastWindowClosed(_:)`.
  open func close() {
    guard isVisible else { return }
    orderOut(nil)
    let application = NSApplication.shared
    if application.windows.isEmpty,
      application.delegate?.applicationShouldTerminateAfterLastWindowClosed(application) == true
    {
      application.terminate(self)
    }
  }

  /// Has no effect on this system, which has no screen.
  open func center() {}
}

extension NSWindow {
  /// The style of a window; nothing is drawn.
  public struct StyleMask: OptionSet, Sendable {
    /// The raw bits of the set, as on Apple's systems.
    public let rawValue: UInt

    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The window has no title bar or controls.
    public static let borderless: StyleMask = []
    /// The window has a title bar.
    public static let titled = StyleMask(rawValue: 1 << 0)
    /// The window has a close button.
    public static let closable = StyleMask(rawValue: 1 << 1)
    /// The window has a minimize button.
    public static let miniaturizable = StyleMask(rawValue: 1 << 2)
    /// The window can be resized by the user.
    public static let resizable = StyleMask(rawValue: 1 << 3)
    /// The window fills the whole screen.
    public static let fullScreen = StyleMask(rawValue: 1 << 14)
    /// The window's content extends under the title bar.
    public static let fullSizeContentView = StyleMask(rawValue: 1 << 15)
  }

  /// The types of a window's backing store; nothing is drawn.
  public enum BackingStoreType: UInt, Sendable {
    /// The window renders into a buffer.
    case buffered = 2
  }
}
