import CGtk

/// The settings window: a section for the device and one for each app, with a switch or a list for each setting.
final class SettingsList {
  private let window: Window
  private let column: Widget
  private let report: (WindowReport) -> Void
  private var content: SettingsContent
  /// The control of each setting, by section and row.
  private var controls: [[Widget]] = []
  /// True while the program itself sets the values of controls.
  private var isUpdating = false

  /// Creates and shows the window; `report` is called for each change that the user makes.
  init(_ content: SettingsContent, report: @escaping (WindowReport) -> Void) {
    self.content = content
    self.report = report
    window = Window(title: content.title, isDialog: false, width: 480, height: 640)
    column = Widget.box(vertical: true, spacing: 18)
    column.setMargin(18)
    let scrolled = unsafe Widget(gtk_scrolled_window_new())
    unsafe gtk_scrolled_window_set_policy(
      scrolled.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    unsafe gtk_scrolled_window_set_child(scrolled.opaque, column.pointer)
    window.setContent(scrolled)
    fill()
    window.present(
      onShown: { report(.shown(window: WindowReport.settings)) },
      onClosed: { report(.closed(window: WindowReport.settings)) })
  }

  /// Shows new values.
  ///
  /// The widgets are kept unless settings were added or removed, so that the keyboard focus remains on the control that
  /// the user is changing.
  func show(_ content: SettingsContent) {
    let previous = self.content
    self.content = content
    if content.title != previous.title { window.setTitle(content.title) }
    guard content.layout == previous.layout, content.empty == previous.empty,
      content.problem == previous.problem
    else { return fill() }
    assert(
      content.sections.map(\.rows.count) == controls.map(\.count), "each setting has a control")
    isUpdating = true
    for (section, widgets) in zip(content.sections, controls) {
      for (row, widget) in zip(section.rows, widgets) { set(row, on: widget) }
    }
    isUpdating = false
  }

  func close() { window.destroy() }

  private func set(_ row: SettingsContent.Row, on widget: Widget) {
    if row.isSwitch {
      widget.isOn = row.value == "on"
    } else {
      widget.selectedIndex = Self.index(of: row)
    }
  }

  private static func index(of row: SettingsContent.Row) -> Int {
    row.choices.firstIndex { $0.value == row.value } ?? 0
  }

  private func fill() {
    column.removeChildren()
    controls = []
    if !content.problem.isEmpty {
      let problem = Widget.label(content.problem, "error", lines: 4)
      column.append(problem)
    }
    for (index, section) in content.sections.enumerated() {
      column.append(self.section(section, at: index))
    }
    if !content.sections.contains(where: { !$0.title.isEmpty }) {
      column.append(.label(content.empty, "dim-label", lines: 2))
    }
  }

  private func section(_ section: SettingsContent.Section, at index: Int) -> Widget {
    let box = Widget.box(vertical: true, spacing: 8, role: GTK_ACCESSIBLE_ROLE_GROUP)
    let title = section.title.isEmpty ? content.title : section.title
    box.describe(GTK_ACCESSIBLE_PROPERTY_LABEL, title)
    if !section.title.isEmpty { box.append(.label(section.title, "title-4")) }
    controls.append([])
    for (number, row) in section.rows.enumerated() {
      let line = Widget.box(vertical: false, spacing: 12)
      line.append(.label(row.title, lines: 2))
      let control = control(row, section: index, row: number)
      controls[index].append(control)
      line.append(control)
      box.append(line)
    }
    return box
  }

  private func control(_ row: SettingsContent.Row, section: Int, row number: Int) -> Widget {
    let onChange: () -> Void = { [weak self] in self?.changed(section: section, row: number) }
    return row.isSwitch
      ? .toggle(row.value == "on", name: row.title, onChange)
      : .choice(
        of: row.choices.map(\.title), selected: Self.index(of: row), name: row.title, onChange)
  }

  /// Reports the current value of a control.
  private func changed(section: Int, row: Int) {
    guard !isUpdating, content.sections.indices.contains(section),
      content.sections[section].rows.indices.contains(row),
      controls.indices.contains(section), controls[section].indices.contains(row)
    else { return }
    let setting = content.sections[section].rows[row]
    let control = controls[section][row]
    let chosen =
      setting.isSwitch ? (control.isOn ? 0 : 1) : control.selectedIndex
    guard setting.choices.indices.contains(chosen) else { return }
    report(
      .changed(
        section: content.sections[section].id, row: setting.id,
        value: setting.choices[chosen].value))
  }
}
