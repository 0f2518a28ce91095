import BelfryWire

/// The settings of the device and of its apps, as the settings window shows them.
struct SettingsContent: Hashable {
  /// A value that a setting can have.
  struct Choice: Hashable {
    var value: String
    var title: String
  }

  /// A setting.
  struct Row: Hashable {
    var id: String
    var title: String
    var value: String
    var choices: [Choice]

    /// True if the setting is shown as a switch instead of a list.
    var isSwitch: Bool { choices.map(\.value) == ["on", "off"] }
  }

  /// The settings of an app or of the device.
  struct Section: Hashable {
    var id: String
    /// The app's name; empty for the device.
    var title: String
    var rows: [Row]
  }

  var title: String
  /// The text that is shown below the device's settings if no app has settings.
  var empty: String
  /// The reason that the last change was refused; empty if the change was accepted.
  var problem: String
  var sections: [Section]
  var isRightToLeft: Bool

  init(_ object: JSONObject) {
    title = object["title"]?.stringValue ?? ""
    empty = object["empty"]?.stringValue ?? ""
    problem = object["problem"]?.stringValue ?? ""
    sections = (object["sections"]?.arrayValue ?? []).compactMap(Section.init)
    isRightToLeft = object["direction"]?.stringValue == "rtl"
  }

  /// The sections without the values of their settings.
  ///
  /// Settings with the same layout can use the same widgets.
  var layout: [Section] {
    sections.map { section in
      var section = section
      for index in section.rows.indices { section.rows[index].value = "" }
      return section
    }
  }
}

extension SettingsContent.Section {
  init?(_ value: JSONValue) {
    guard let object = value.objectValue, let id = object["id"]?.stringValue else { return nil }
    self.id = id
    title = object["title"]?.stringValue ?? ""
    rows = (object["rows"]?.arrayValue ?? []).compactMap(SettingsContent.Row.init)
  }
}

extension SettingsContent.Row {
  init?(_ value: JSONValue) {
    guard let object = value.objectValue, let id = object["id"]?.stringValue else { return nil }
    self.id = id
    title = object["title"]?.stringValue ?? id
    self.value = object["value"]?.stringValue ?? ""
    choices = (object["choices"]?.arrayValue ?? []).compactMap { choice in
      guard let object = choice.objectValue, let value = object["value"]?.stringValue else {
        return nil
      }
      return .init(value: value, title: object["title"]?.stringValue ?? value)
    }
  }
}
