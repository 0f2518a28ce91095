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

  /// Whether it is let go when it is closed; kept, without effect.
  open var isReleasedWhenClosed = true

  /// A window of a size.
  public init(contentRect: NSRect) {
    frame = contentRect
    super.init()
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

  /// Orders it in, in front.
  open func makeKeyAndOrderFront(_ sender: Any?) {
    let application = NSApplication.shared
    application.windows.removeAll { $0 === self }
    application.windows.append(self)
    isVisible = true
    contentViewController?.appear()
  }

  /// Orders it in, in front.
  open func orderFront(_ sender: Any?) { makeKeyAndOrderFront(sender) }

  /// Orders it in, in front.
  open func orderFrontRegardless() { makeKeyAndOrderFront(nil) }

  /// Orders it out.
  open func orderOut(_ sender: Any?) {
    guard isVisible else { return }
    isVisible = false
    NSApplication.shared.windows.removeAll { $0 === self }
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
