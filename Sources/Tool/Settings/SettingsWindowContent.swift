import Agent
import BelfryWire

/// A translator between the agent and the settings window.
///
/// It converts the agent's state into a command for `belfry-center`. When the window reports a change, this type
/// converts the change into an action.
struct SettingsWindowContent {
  /// The section for the settings of the whole device; app IDs are never empty.
  private static let deviceSection = ""

  private let content: SettingsPage.Content
  private let words: DeviceWords
  private let rows: SettingsRows

  init(_ content: SettingsPage.Content) {
    self.content = content
    let languages = content.device["languages"]?.stringValue ?? ""
    words = DeviceWords(languages: languages.split(separator: ",").map(String.init))
    rows = SettingsRows(content, words)
  }

  /// Returns the command that shows the settings; if the agent refused the last change, the command includes the
  /// reason.
  func command(problem: String?) -> JSONObject {
    let apps = content.apps.compactMap { values -> JSONValue? in
      guard let app = values["app"]?.stringValue else { return nil }
      return section(app, values["name"]?.stringValue ?? app, rows.rows(of: app))
    }
    let device = rows.device
    return [
      "do": "settings", "direction": words.isRightToLeft ? "rtl" : "ltr",
      "title": .string(words[.notifications]), "empty": .string(words[.noAppAsked]),
      "problem": .string(problem ?? ""),
      "sections": .array((device.isEmpty ? [] : [section(Self.deviceSection, "", device)]) + apps),
    ]
  }

  /// Returns the action for a change that the window reported; nil for a setting that no longer exists or a value that
  /// the setting doesn't have.
  func action(section: String, row: String, value: String) -> SettingsPage.Action? {
    let rows = section == Self.deviceSection ? rows.device : rows.rows(of: section)
    return rows.first { $0.id == row && $0.words.contains(value) }?.action(value)
  }

  private func section(_ id: String, _ title: String, _ rows: [SettingsRows.Row]) -> JSONValue {
    let rows = rows.map { row -> JSONValue in
      let choices = row.words.map { word -> JSONValue in
        let text = self.rows.text(of: word)
        // Capitalize the first letter, because the words are written for use within a line, as on the terminal page.
        return [
          "value": .string(word), "title": .string(text.prefix(1).uppercased() + text.dropFirst()),
        ]
      }
      return [
        "id": .string(row.id), "title": .string(row.title), "value": .string(row.word),
        "choices": .array(choices),
      ]
    }
    return ["id": .string(id), "title": .string(title), "rows": .array(rows)]
  }
}
