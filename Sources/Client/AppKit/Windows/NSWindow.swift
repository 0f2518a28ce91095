public import Foundation

/// A window as a value: it draws nothing, and brings its view controller through its life.
@preconcurrency @MainActor
open class NSWindow: NSResponder {
  /// What it is called.
  open var title = ""

  /// Where it is.
  open private(set) var frame: NSRect

  /// What fills it.
  open var contentView: NSView?

  /// What fills it.
  open var contentViewController: NSViewController? {
    didSet {
      contentView = contentViewController?.view
      if isVisible { contentViewController?.appear() }
    }
  }

  /// Whether it was ordered in.
  open private(set) var isVisible = false

  /// The window's frame and controls; nothing is drawn.
  open var styleMask: NSWindow.StyleMask = .titled

  /// Whether it may receive the keyboard's input: by default one with a title or an edge to change its size.
  open var canBecomeKey: Bool { !styleMask.isDisjoint(with: [.titled, .resizable]) }

  /// Whether it receives the keyboard's input.
  open var isKeyWindow: Bool { NSApplication.shared.keyWindow === self }

  /// Whether it is let go when it is closed; stored, without effect.
  open var isReleasedWhenClosed = true

  /// A window of a size.
  public init(contentRect: NSRect) {
    frame = contentRect
    super.init()
  }

  /// A window of a size and style.
  public convenience init(
    contentRect: NSRect, styleMask style: NSWindow.StyleMask,
    backing backingStoreType: NSWindow.BackingStoreType, defer flag: Bool
  ) {
    self.init(contentRect: contentRect)
    styleMask = style
  }

  /// A window that a view controller fills.
  public convenience init(contentViewController: NSViewController) {
    self.init(contentRect: .zero)
    self.contentViewController = contentViewController
    contentView = contentViewController.view
  }

  /// No interface files on this system: an empty window.
  public required init?(coder: NSCoder) {
    frame = .zero
    super.init(coder: coder)
  }

  /// Orders it in, in front, and makes it the key window.
  open func makeKeyAndOrderFront(_ sender: Any?) {
    orderFront(sender)
    makeKey()
  }

  /// Makes it the key window, if it may become that.
  open func makeKey() {
    guard isVisible, canBecomeKey else { return }
    NSApplication.shared.keyWindow = self
    NSApplication.shared.onKeyWindowChanged()
  }

  /// Orders it in, in front.
  open func orderFront(_ sender: Any?) {
    let application = NSApplication.shared
    application.windows.removeAll { $0 === self }
    application.windows.append(self)
    isVisible = true
    contentViewController?.appear()
  }

  /// Orders it in, in front.
  open func orderFrontRegardless() { orderFront(nil) }

  /// Orders it out; the next window takes the keyboard's input.
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

  /// Closes it; the last window may end the app.
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

  /// Does nothing: there is no screen to be in the middle of.
  open func center() {}
}

extension NSWindow {
  /// What a window has around it; nothing is drawn.
  public struct StyleMask: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// From bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Nothing.
    public static let borderless: StyleMask = []
    /// A title.
    public static let titled = StyleMask(rawValue: 1 << 0)
    /// A button to close it.
    public static let closable = StyleMask(rawValue: 1 << 1)
    /// A button to put it away.
    public static let miniaturizable = StyleMask(rawValue: 1 << 2)
    /// An edge to change its size.
    public static let resizable = StyleMask(rawValue: 1 << 3)
    /// The whole screen.
    public static let fullScreen = StyleMask(rawValue: 1 << 14)
    /// Contents under the title too.
    public static let fullSizeContentView = StyleMask(rawValue: 1 << 15)
  }

  /// How a window is drawn; nothing is.
  public enum BackingStoreType: UInt, Sendable {
    /// In memory first.
    case buffered = 2
  }
}
