import CGtk

/// A GTK widget, which is valid during the lifetime of the window that contains it.
///
/// Strings are shown literally: no function of this type interprets markup.
@safe struct Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  /// Creates a wrapper for a widget that GTK created.
  ///
  /// GTK never returns nil: if it runs out of memory, it terminates the program.
  init(_ pointer: UnsafeMutablePointer<GtkWidget>?) {
    guard let pointer = unsafe pointer else { preconditionFailure("GTK returned no widget") }
    unsafe self.pointer = pointer
  }

  /// Returns a pointer to this widget, converted to another of the widget's GTK types.
  func pointer<Type>(as type: Type.Type) -> UnsafeMutablePointer<Type> {
    unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: type)
  }

  /// This widget as a pointer to a GTK type whose structure is not public.
  var opaque: OpaquePointer { unsafe OpaquePointer(pointer) }

  // MARK: - Containers

  /// Creates a box that arranges its children in a column or a row.
  static func box(
    vertical isVertical: Bool, spacing: Int32, role: GtkAccessibleRole? = nil
  ) -> Widget {
    let box =
      if let role {
        Widget(withRole: role, gtk_box_get_type())
      } else {
        unsafe Widget(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
      }
    unsafe gtk_orientable_set_orientation(
      box.opaque, isVertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL)
    unsafe gtk_box_set_spacing(box.pointer(as: GtkBox.self), spacing)
    return box
  }

  /// Creates a widget with an accessible role that is not the default for its type.
  ///
  /// GTK allows setting the role only once.
  init(withRole role: GtkAccessibleRole, _ type: GType) {
    var value = GValue()
    unsafe g_value_init(&value, gtk_accessible_role_get_type())
    unsafe g_value_set_enum(&value, Int32(role.rawValue))
    defer { unsafe g_value_unset(&value) }
    let object = unsafe "accessible-role".withCString { name in
      var names: [UnsafePointer<CChar>?] = unsafe [name]
      return unsafe g_object_new_with_properties(type, 1, &names, &value)
    }
    unsafe self.init(
      UnsafeMutableRawPointer(object)?.assumingMemoryBound(to: GtkWidget.self))
  }

  /// Appends a child to a box.
  func append(_ child: Widget) {
    unsafe gtk_box_append(pointer(as: GtkBox.self), child.pointer)
  }

  /// Removes all children of a box.
  func removeChildren() {
    while let child = unsafe gtk_widget_get_first_child(pointer) {
      unsafe gtk_box_remove(pointer(as: GtkBox.self), child)
    }
  }

  /// Sets the margin on all sides of a widget, in pixels.
  func setMargin(_ pixels: Int32) {
    unsafe gtk_widget_set_margin_top(pointer, pixels)
    unsafe gtk_widget_set_margin_bottom(pointer, pixels)
    unsafe gtk_widget_set_margin_start(pointer, pixels)
    unsafe gtk_widget_set_margin_end(pointer, pixels)
  }

  func addClass(_ name: String) { unsafe gtk_widget_add_css_class(pointer, name) }

  // MARK: - Content

  /// Creates a label that wraps its text, up to the given number of lines.
  static func label(_ text: String, _ style: String? = nil, lines: Int32 = 1) -> Widget {
    let label = unsafe Widget(gtk_label_new(text))
    unsafe gtk_label_set_use_markup(label.opaque, 0)
    unsafe gtk_label_set_xalign(label.opaque, 0)
    unsafe gtk_label_set_wrap(label.opaque, lines > 1 ? 1 : 0)
    unsafe gtk_label_set_wrap_mode(label.opaque, PANGO_WRAP_WORD_CHAR)
    unsafe gtk_label_set_lines(label.opaque, lines)
    unsafe gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
    unsafe gtk_widget_set_hexpand(label.pointer, 1)
    if let style { label.addClass(style) }
    return label
  }

  /// Creates an app's icon from a name in the icon theme or from a path, or returns nil if the theme has no such icon.
  static func icon(_ name: String, pixels: Int32) -> Widget? {
    guard !name.isEmpty else { return nil }
    // The app's name is shown next to the icon, so a screen reader does not need to announce the icon.
    let image = Widget(withRole: GTK_ACCESSIBLE_ROLE_PRESENTATION, gtk_image_get_type())
    if name.hasPrefix("/") {
      unsafe gtk_image_set_from_file(image.opaque, name)
    } else {
      guard let display = unsafe gdk_display_get_default(),
        let theme = unsafe gtk_icon_theme_get_for_display(display),
        unsafe gtk_icon_theme_has_icon(theme, name) != 0
      else { return nil }
      unsafe gtk_image_set_from_icon_name(image.opaque, name)
    }
    unsafe gtk_image_set_pixel_size(image.opaque, pixels)
    return image
  }

  /// Creates an image that has a maximum height and keeps its aspect ratio; a screen reader announces the given name.
  static func picture(_ path: String, name: String, height: Int32) -> Widget {
    let picture = unsafe Widget(gtk_picture_new_for_filename(path))
    // Without a label, a screen reader announces the widget's type.
    picture.describe(GTK_ACCESSIBLE_PROPERTY_LABEL, name)
    unsafe gtk_picture_set_can_shrink(picture.opaque, 1)
    unsafe gtk_widget_set_size_request(picture.pointer, -1, height)
    unsafe gtk_widget_set_halign(picture.pointer, GTK_ALIGN_START)
    return picture
  }

  // MARK: - Controls

  /// Creates a button that calls `onPressed` when the user presses it.
  static func button(_ content: ButtonContent, _ onPressed: @escaping () -> Void) -> Widget {
    let button = unsafe Widget(gtk_button_new_with_label(content.title))
    switch content.style {
    case .plain: break
    case .suggested: button.addClass("suggested-action")
    case .destructive: button.addClass("destructive-action")
    }
    if !content.hint.isEmpty { button.describe(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, content.hint) }
    button.connect("clicked", onPressed)
    return button
  }

  /// Creates a text field that calls `onEnter` when the user presses Enter in it.
  static func field(
    _ placeholder: String, name: String, _ onEnter: @escaping () -> Void
  ) -> Widget {
    let field = unsafe Widget(gtk_entry_new())
    unsafe gtk_entry_set_placeholder_text(field.pointer(as: GtkEntry.self), placeholder)
    unsafe gtk_widget_set_hexpand(field.pointer, 1)
    field.describe(GTK_ACCESSIBLE_PROPERTY_LABEL, name)
    field.connect("activate", onEnter)
    return field
  }

  /// Creates a switch that calls `onTurned` whenever it is turned on or off.
  static func toggle(_ isOn: Bool, name: String, _ onTurned: @escaping () -> Void) -> Widget {
    let toggle = unsafe Widget(gtk_switch_new())
    unsafe gtk_switch_set_active(toggle.opaque, isOn ? 1 : 0)
    unsafe gtk_widget_set_valign(toggle.pointer, GTK_ALIGN_CENTER)
    toggle.describe(GTK_ACCESSIBLE_PROPERTY_LABEL, name)
    toggle.connectNotify("active", onTurned)
    return toggle
  }

  /// True if the switch is on.
  var isOn: Bool {
    get { unsafe gtk_switch_get_active(opaque) != 0 }
    nonmutating set {
      // Setting the current value again would stop the animation of a switch that the user has just pressed, and would
      // lose the user's change.
      guard newValue != isOn else { return }
      unsafe gtk_switch_set_active(opaque, newValue ? 1 : 0)
    }
  }

  /// Creates a drop-down list of strings that calls `onChosen` whenever another string is selected.
  static func choice(
    of titles: [String], selected: Int, name: String, _ onChosen: @escaping () -> Void
  ) -> Widget {
    let list = unsafe gtk_string_list_new(nil)
    for title in titles { unsafe gtk_string_list_append(list, title) }
    // The drop-down takes ownership of the list.
    let choice = unsafe Widget(gtk_drop_down_new(list, nil))
    unsafe gtk_drop_down_set_selected(choice.opaque, guint(selected))
    unsafe gtk_widget_set_valign(choice.pointer, GTK_ALIGN_CENTER)
    choice.describe(GTK_ACCESSIBLE_PROPERTY_LABEL, name)
    choice.connectNotify("selected", onChosen)
    return choice
  }

  /// The index of the selected string.
  var selectedIndex: Int {
    get { unsafe Int(gtk_drop_down_get_selected(opaque)) }
    nonmutating set { unsafe gtk_drop_down_set_selected(opaque, guint(newValue)) }
  }

  /// The text in a text field.
  var typedText: String {
    unsafe String(cString: gtk_editable_get_text(opaque))
  }

  /// Sets a string that a screen reader announces.
  func describe(_ property: GtkAccessibleProperty, _ text: String) {
    var property = property
    var value = GValue()
    unsafe gtk_accessible_property_init_value(property, &value)
    defer { unsafe g_value_unset(&value) }
    unsafe g_value_set_string(&value, text)
    unsafe gtk_accessible_update_property_value(opaque, 1, &property, &value)
  }

  // MARK: - Signals

  /// Calls `body` for each signal with this name, which must not have arguments or a result.
  func connect(_ signal: String, _ body: @escaping () -> Void) {
    let call: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = {
      unsafe Callback.from($1)?.body()
    }
    unsafe connect(signal, unsafeBitCast(call, to: GCallback.self), body)
  }

  /// Calls `body` when the user closes a window.
  ///
  /// The window remains open until it is destroyed.
  func connectCloseRequest(_ body: @escaping () -> Void) {
    let call: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gboolean = {
      unsafe Callback.from($1)?.body()
      return 1
    }
    unsafe connect("close-request", unsafeBitCast(call, to: GCallback.self), body)
  }

  /// Calls `body` each time a property of the widget changes.
  func connectNotify(_ property: String, _ body: @escaping () -> Void) {
    let call:
      @convention(c) (
        UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
      ) -> Void = {
        unsafe Callback.from($2)?.body()
      }
    unsafe connect("notify::" + property, unsafeBitCast(call, to: GCallback.self), body)
  }

  private func connect(
    _ signal: String, _ call: @escaping GCallback, _ body: @escaping () -> Void
  ) {
    let callback = unsafe Unmanaged.passRetained(Callback(body)).toOpaque()
    let release: GClosureNotify = { data, _ in
      if let data = unsafe data { unsafe Unmanaged<Callback>.fromOpaque(data).release() }
    }
    unsafe g_signal_connect_data(
      pointer, signal, call, callback, release, GConnectFlags(rawValue: 0))
  }
}

/// A closure that GTK retains.
private final class Callback {
  let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  static func from(_ data: UnsafeMutableRawPointer?) -> Callback? {
    guard let data = unsafe data else { return nil }
    return unsafe Unmanaged<Callback>.fromOpaque(data).takeUnretainedValue()
  }
}
