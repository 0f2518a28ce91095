import CGtk

/// The Notification Center's window: notifications grouped by app and, within an app, by thread.
final class CenterList {
  private let window: Window
  private let column: Widget
  /// The part of the column that is visible.
  private let viewport: Widget
  private let report: (WindowReport) -> Void
  private let ask: (CenterTextRequest) -> Void
  private var content: CenterContent

  /// Creates and shows the window.
  ///
  /// `report` receives the user's actions; `ask` shows a dialog in which the user enters text.
  init(
    _ content: CenterContent, report: @escaping (WindowReport) -> Void,
    ask: @escaping (CenterTextRequest) -> Void
  ) {
    self.content = content
    self.report = report
    self.ask = ask
    window = Window(title: content.title, isDialog: false, width: 460, height: 640)
    column = Widget.box(vertical: true, spacing: 18)
    column.setMargin(18)
    unsafe gtk_widget_set_focusable(column.pointer, 1)
    viewport = unsafe Widget(gtk_viewport_new(nil, nil))
    unsafe gtk_viewport_set_child(viewport.opaque, column.pointer)
    let scrolled = unsafe Widget(gtk_scrolled_window_new())
    unsafe gtk_scrolled_window_set_policy(
      scrolled.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    unsafe gtk_scrolled_window_set_child(scrolled.opaque, viewport.pointer)
    window.setContent(scrolled)
    fill()
    focusColumn()
    window.present(
      onShown: { report(.shown(window: WindowReport.center)) },
      onClosed: { report(.closed(window: WindowReport.center)) })
  }

  /// Shows new content.
  ///
  /// If nothing has changed, the window is only raised.
  func show(_ content: CenterContent) {
    guard content != self.content else { return window.raise() }
    self.content = content
    window.setTitle(content.title)
    fill()
    focusColumn()
  }

  func close() { window.destroy() }

  /// Moves the keyboard focus to the column without scrolling.
  ///
  /// Otherwise, GTK would scroll to the end of the column, which is usually longer than the window.
  private func focusColumn() {
    unsafe gtk_viewport_set_scroll_to_focus(viewport.opaque, 0)
    window.focus(column)
    unsafe gtk_viewport_set_scroll_to_focus(viewport.opaque, 1)
  }

  private func fill() {
    column.removeChildren()
    if content.groups.isEmpty {
      let empty = Widget.label(content.empty, "dim-label", lines: 2)
      unsafe gtk_label_set_xalign(empty.opaque, 0.5)
      unsafe gtk_widget_set_vexpand(empty.pointer, 1)
      return column.append(empty)
    }
    let all = Widget.box(vertical: false, spacing: 8)
    unsafe gtk_widget_set_halign(all.pointer, GTK_ALIGN_END)
    fillButtons(all)
    column.append(all)
    for group in content.groups { column.append(section(group)) }
  }

  /// Fills the row of the buttons that apply to all notifications.
  private func fillButtons(_ row: Widget) {
    row.removeChildren()
    let report = report
    for button in content.buttons {
      row.append(
        .button(button) { [weak self] in
          if let confirmation = button.confirmation {
            self?.confirm(button, confirmation, in: row)
          } else {
            report(.pressedInCenter(app: nil, item: nil, button: button.id, text: nil))
          }
        })
    }
  }

  /// Asks the user to confirm the press of a button, in the button's own row.
  private func confirm(
    _ pressed: ButtonContent, _ confirmation: ButtonContent.Confirmation, in row: Widget
  ) {
    let width = unsafe gtk_widget_get_width(row.pointer)
    row.removeChildren()
    let report = report
    var confirming = pressed
    confirming.title = confirmation.title
    confirming.style = .destructive
    row.append(
      .button(confirming) { [weak self] in
        self?.cancelConfirmation(in: row)
        report(.pressedInCenter(app: nil, item: nil, button: pressed.id, text: nil))
      })
    var cancelling = pressed
    cancelling.title = confirmation.cancel
    cancelling.hint = ""
    let cancel = Widget.button(cancelling) { [weak self] in self?.cancelConfirmation(in: row) }
    // The button that cancels covers the pressed button, so that a double click confirms nothing.
    unsafe gtk_widget_set_size_request(cancel.pointer, width, -1)
    row.append(cancel)
    focusColumn()
  }

  private func cancelConfirmation(in row: Widget) {
    fillButtons(row)
    focusColumn()
  }

  private func section(_ group: CenterContent.Group) -> Widget {
    let section = Widget.box(vertical: true, spacing: 8, role: GTK_ACCESSIBLE_ROLE_GROUP)
    section.describe(GTK_ACCESSIBLE_PROPERTY_LABEL, group.app)
    let header = Widget.box(vertical: false, spacing: 8)
    if let icon = Widget.icon(group.icon, pixels: 24) { header.append(icon) }
    header.append(.label(group.app, "title-4"))
    let report = report
    for button in group.buttons {
      header.append(
        .button(button) {
          report(.pressedInCenter(app: group.id, item: nil, button: button.id, text: nil))
        })
    }
    section.append(header)
    for thread in group.threads {
      if !thread.title.isEmpty { section.append(.label(thread.title, "dim-label")) }
      for item in thread.items { section.append(card(item, of: group)) }
    }
    return section
  }

  private func card(_ item: CenterContent.Item, of group: CenterContent.Group) -> Widget {
    let card = unsafe Widget(gtk_frame_new(nil))
    let column = Widget.box(vertical: true, spacing: 4, role: GTK_ACCESSIBLE_ROLE_GROUP)
    column.setMargin(10)
    column.describe(
      GTK_ACCESSIBLE_PROPERTY_LABEL, item.text.title.isEmpty ? item.text.body : item.text.title)
    let top = Widget.box(vertical: false, spacing: 8)
    top.append(.label(item.text.title, "heading", lines: 2))
    let date = Widget.label(item.date, "dim-label")
    unsafe gtk_widget_set_hexpand(date.pointer, 0)
    unsafe gtk_label_set_ellipsize(date.opaque, PANGO_ELLIPSIZE_NONE)
    top.append(date)
    column.append(top)
    if !item.text.subtitle.isEmpty { column.append(.label(item.text.subtitle, lines: 2)) }
    if !item.text.body.isEmpty { column.append(.label(item.text.body, lines: 6)) }
    if !item.text.image.isEmpty {
      column.append(.picture(item.text.image, name: item.text.title, height: 120))
    }
    column.append(buttons(item, of: group))
    unsafe gtk_frame_set_child(card.pointer(as: GtkFrame.self), column.pointer)
    return card
  }

  /// Returns the buttons of a notification, in rows that fit into a window of this width.
  private func buttons(_ item: CenterContent.Item, of group: CenterContent.Group) -> Widget {
    let rows = Widget.box(vertical: true, spacing: 6)
    for titles in Self.rows(item.buttons) {
      let row = Widget.box(vertical: false, spacing: 6)
      for button in titles { row.append(self.button(button, item, group)) }
      rows.append(row)
    }
    return rows
  }

  /// Splits buttons into rows with limited numbers of characters and buttons.
  static func rows(
    _ buttons: [ButtonContent], characters: Int = 30, count: Int = 4
  ) -> [[ButtonContent]] {
    var rows: [[ButtonContent]] = []
    for button in buttons {
      let length = (rows.last ?? []).map(\.title.count).reduce(0, +) + button.title.count
      if let last = rows.last, last.count < count, length <= characters {
        rows[rows.count - 1].append(button)
      } else {
        rows.append([button])
      }
    }
    return rows
  }

  private func button(
    _ content: ButtonContent, _ item: CenterContent.Item, _ group: CenterContent.Group
  ) -> Widget {
    let (report, ask, isRightToLeft) = (report, ask, self.content.isRightToLeft)
    return Widget.button(content) {
      guard content.input != nil else {
        return report(
          .pressedInCenter(app: group.id, item: item.id, button: content.id, text: nil))
      }
      ask(CenterTextRequest(content, of: item, in: group, isRightToLeft: isRightToLeft))
    }
  }
}

/// A request to the user for the text that a button on a notification in the Notification Center requires.
struct CenterTextRequest {
  /// The identifier of the request's window.
  static let window = "center-text"

  let app: String
  let item: String
  let dialog: DialogContent

  /// Creates the request for a button on a notification.
  init(
    _ button: ButtonContent, of item: CenterContent.Item, in group: CenterContent.Group,
    isRightToLeft: Bool
  ) {
    app = group.id
    self.item = item.id
    dialog = DialogContent(
      window: Self.window, app: group.app, icon: group.icon, text: item.text, buttons: [button],
      focus: button.id, isRightToLeft: isRightToLeft)
  }
}

extension CenterContent {
  /// Returns true if the list still contains the notification to which the requested text belongs.
  func contains(_ request: CenterTextRequest) -> Bool {
    groups.contains { group in
      group.id == request.app
        && group.threads.contains { $0.items.contains { $0.id == request.item } }
    }
  }
}
