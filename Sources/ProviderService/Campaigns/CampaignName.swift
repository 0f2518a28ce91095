internal import BelfryWire

/// The name by which operators recognize a campaign: the name in its file, or a name derived from its text.
enum CampaignName {
  /// The name of a campaign that displays no text.
  static let untitled = "Untitled campaign"

  /// Returns the name in a campaign's document or, if it has none, a name derived from the text.
  static func of(_ document: JSONObject) -> String {
    if let name = document["name"]?.stringValue, !name.isEmpty { return name }
    let alerts = [
      document["alert"], document["payload"]?.objectValue?["aps"]?.objectValue?["alert"],
    ]
    for case let alert? in alerts {
      if let text = text(of: alert) { return text }
    }
    return untitled
  }

  /// Returns the name for a copy of the campaign `name`.
  ///
  /// A name that already begins with "Copy of" remains unchanged.
  static func ofCopy(_ name: String) -> String {
    let prefix = "Copy of "
    let isCopy = name.utf8.starts(with: prefix.utf8)
    return isCopy ? name : shortened(prefix + name)
  }

  private static func text(of alert: JSONValue) -> String? {
    if let text = alert.stringValue { return line(text) }
    guard let object = alert.objectValue else { return nil }
    if let own = title(of: object) { return own }
    // The alert has one member per language, and the first language determines the campaign's name.
    return object.members.first?.value.objectValue.flatMap(title)
  }

  private static func title(of alert: JSONObject) -> String? {
    for key in ["title", "subtitle", "body", "title-loc-key", "loc-key"] {
      let value = alert[key]
      // If the text has plural forms, the name is derived from the form that every language has.
      let text = value?.stringValue ?? value?.objectValue?["other"]?.stringValue
      if let text, let line = line(text) { return line }
    }
    return nil
  }

  /// Returns the first line with text, or nil if every line is empty.
  private static func line(_ text: String) -> String? {
    let scalars = text.unicodeScalars.prefix(Limits.campaignNameScalarsRead)
    for part in scalars.split(whereSeparator: { $0.value < 0x20 || $0.value == 0x7F }) {
      let line = String(String.UnicodeScalarView(part.drop { $0 == " " }))
      if !line.isEmpty { return shortened(line) }
    }
    return nil
  }

  private static func shortened(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.count > Limits.campaignNameScalars else { return text }
    return String(scalars.prefix(Limits.campaignNameScalars - 1)) + "…"
  }
}
