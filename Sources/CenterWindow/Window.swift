import CGtk

/// A window on the screen.
@safe final class Window {
  private let widget: Widget

  /// A window that is not yet on the screen.
  ///
  /// - Parameters:
  ///   - title: What the desktop and screen readers call it.
  ///   - isDialog: Whether it asks the person something.
  ///   - width: Pixels at first.
  ///   - height: Pixels at first; -1 as high as what it holds.
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

  /// What a screen reader says of it beside its title.
  func describe(_ text: String) { widget.describe(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text) }

  func setContent(_ content: Widget) { unsafe gtk_window_set_child(window, content.pointer) }

  /// Puts what the person types into a widget.
  func focus(_ widget: Widget) { unsafe gtk_window_set_focus(window, widget.pointer) }

  /// Calls `onShown` once it is on the screen, `onClosed` when the person closes it.
  func present(onShown: @escaping () -> Void, onClosed: @escaping () -> Void) {
    widget.connect("map", onShown)
    widget.connectCloseRequest(onClosed)
    unsafe gtk_window_present(window)
  }

  /// Brings it to the front again.
  func raise() { unsafe gtk_window_present(window) }

  /// Takes it off the screen for good.
  func destroy() { unsafe gtk_window_destroy(window) }
}
