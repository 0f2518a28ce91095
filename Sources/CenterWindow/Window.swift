import CGtk

/// A window on the screen.
@safe final class Window {
  private let widget: Widget

  /// Creates a window that is not yet on screen.
  ///
  /// - Parameters:
  ///   - title: The window's title, for the desktop and screen readers.
  ///   - isDialog: True if the window asks the user a question.
  ///   - width: The initial width in pixels.
  ///   - height: The initial height in pixels; -1 to fit the content.
  init(title: String, isDialog: Bool, width: Int32, height: Int32) {
    widget = Widget(
      withRole: isDialog ? GTK_ACCESSIBLE_ROLE_ALERT_DIALOG : GTK_ACCESSIBLE_ROLE_WINDOW,
      gtk_window_get_type())
    unsafe gtk_window_set_title(window, title)
    unsafe gtk_window_set_default_size(window, width, height)
    unsafe gtk_window_set_icon_name(window, "preferences-system-notifications")
    unsafe gtk_window_set_resizable(window, isDialog ? 0 : 1)
    widget.describe(GTK_ACCESSIBLE_PROPERTY_LABEL, title)
  }

  private var window: UnsafeMutablePointer<GtkWindow> {
    unsafe widget.pointer(as: GtkWindow.self)
  }

  func setTitle(_ title: String) { unsafe gtk_window_set_title(window, title) }

  /// Sets the text that a screen reader announces in addition to the title.
  func describe(_ text: String) { widget.describe(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text) }

  func setContent(_ content: Widget) { unsafe gtk_window_set_child(window, content.pointer) }

  /// Moves the keyboard focus to a widget.
  func focus(_ widget: Widget) { unsafe gtk_window_set_focus(window, widget.pointer) }

  /// Shows the window.
  ///
  /// Calls `onShown` when the window is on screen, and `onClosed` when the user closes it.
  func present(onShown: @escaping () -> Void, onClosed: @escaping () -> Void) {
    widget.connect("map", onShown)
    widget.connectCloseRequest(onClosed)
    unsafe gtk_window_present(window)
  }

  /// Raises the window.
  func raise() { unsafe gtk_window_present(window) }

  /// Closes the window permanently.
  func destroy() { unsafe gtk_window_destroy(window) }
}
