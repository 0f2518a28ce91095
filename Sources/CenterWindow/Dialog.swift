import CGtk

/// The window of a single notification or question, with its text, its image, all its buttons, and a text field for
/// each action that requires text.
final class Dialog {
  /// The width of the window in pixels: a column of text that can be read at a glance.
  private static let width: Int32 = 420
  /// The maximum height of an image, in pixels.
  private static let pictureHeight: Int32 = 180

  private let name: String
  private let window: Window
  private let report: (WindowReport) -> Void

  /// Creates and shows the window; `report` receives the user's actions.
  init(_ content: DialogContent, report: @escaping (WindowReport) -> Void) {
    name = content.window
    self.report = report
    window = Window(title: content.app, isDialog: true, width: Self.width, height: -1)
    fill(content)
    let name = name
    window.present(
      onShown: { report(.shown(window: name)) }, onClosed: { report(.closed(window: name)) })
  }

  /// Shows new content in the same window.
  func show(_ content: DialogContent) {
    window.setTitle(content.app)
    fill(content)
    window.raise()
  }

  func close() { window.destroy() }

  private func fill(_ content: DialogContent) {
    let column = Widget.box(vertical: true, spacing: 14)
    column.setMargin(18)
    let texts = self.texts(content)
    column.append(texts)
    var focused = texts
    for button in content.buttons {
      guard let input = button.input else { continue }
      let row = inputRow(button, input)
      column.append(row.row)
      if button.id == content.focus { focused = row.field }
    }
    column.append(buttons(content.buttons.filter { $0.input == nil }))
    window.setContent(column)
    window.describe(content.spoken)
    // Never focus a button, because a key press that was meant for another window could activate it.
    window.focus(focused)
  }

  private func texts(_ content: DialogContent) -> Widget {
    let texts = Widget.box(vertical: true, spacing: 6, role: GTK_ACCESSIBLE_ROLE_GROUP)
    unsafe gtk_widget_set_focusable(texts.pointer, 1)
    texts.describe(GTK_ACCESSIBLE_PROPERTY_LABEL, content.app)
    texts.describe(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, content.spoken)
    let header = Widget.box(vertical: false, spacing: 10)
    if let icon = Widget.icon(content.icon, pixels: 32) { header.append(icon) }
    header.append(.label(content.app, "dim-label"))
    texts.append(header)
    let text = content.text
    if !text.title.isEmpty { texts.append(.label(text.title, "title-4", lines: 3)) }
    if !text.subtitle.isEmpty { texts.append(.label(text.subtitle, "heading", lines: 2)) }
    if !text.body.isEmpty { texts.append(.label(text.body, lines: 12)) }
    if !text.image.isEmpty {
      texts.append(.picture(text.image, name: text.title, height: Self.pictureHeight))
    }
    for item in content.drawn {
      switch item {
      case .text(let text): texts.append(.label(text, lines: 12))
      case .picture(let path):
        texts.append(.picture(path, name: content.app, height: Self.pictureHeight))
      }
    }
    return texts
  }

  private func inputRow(_ button: ButtonContent, _ input: ButtonContent.Input) -> (
    row: Widget, field: Widget
  ) {
    let row = Widget.box(vertical: false, spacing: 8)
    let (name, report) = (name, report)
    var typed: () -> String = { "" }
    let send = {
      report(.pressed(window: name, button: button.id, text: typed()))
    }
    let field = Widget.field(
      input.placeholder.isEmpty ? button.title : input.placeholder, name: button.title, send)
    typed = { field.typedText }
    row.append(field)
    var sender = button
    sender.title = input.send
    row.append(.button(sender) { report(.pressed(window: name, button: button.id, text: typed())) })
    return (row, field)
  }

  /// Returns the buttons, arranged so that their titles fit in every language.
  ///
  /// One or two buttons are side by side; more buttons form a column.
  private func buttons(_ contents: [ButtonContent]) -> Widget {
    let isRow = contents.count <= 2
    let box = Widget.box(vertical: !isRow, spacing: 8)
    if isRow { unsafe gtk_box_set_homogeneous(box.pointer(as: GtkBox.self), 1) }
    let (name, report) = (name, report)
    for content in contents {
      let button = Widget.button(content) {
        report(.pressed(window: name, button: content.id, text: nil))
      }
      unsafe gtk_widget_set_hexpand(button.pointer, 1)
      box.append(button)
    }
    return box
  }
}
