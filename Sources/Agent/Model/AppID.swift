import BelfryWire

/// An app's identity: reverse-DNS, as bundle identifiers, desktop files and D-Bus names have it.
struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The identifier as it was given.
  let text: String

  /// nil unless the text has two or more parts of letters, digits, `-` and `_`.
  init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count >= 2, text.utf8.count <= WireLimits.appIDBytesMax else { return nil }
    for part in parts {
      guard !part.isEmpty else { return nil }
      for byte in part {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          break
        default: return nil
        }
      }
    }
    self.text = text
  }

  /// The identifier.
  var description: String { text }
  /// By the bytes of the text.
  static func < (one: AppID, other: AppID) -> Bool { one.text < other.text }
}

/// The key of one notification of one app, by which it is replaced, withdrawn and answered.
struct AppNotificationID: Hashable, Sendable {
  /// The app that it belongs to.
  var app: AppID
  /// The app's own name for it.
  var id: String

  /// Creates a key.
  init(app: AppID, id: String) {
    self.app = app
    self.id = id
  }

  /// Whether it is the same app's and its name has the same bytes, as names on disk compare.
  static func == (one: AppNotificationID, other: AppNotificationID) -> Bool {
    one.app == other.app && one.id.hasSameBytes(as: other.id)
  }

  /// Feeds the app and the bytes of the name.
  func hash(into hasher: inout Hasher) {
    hasher.combine(app)
    hasher.combine(UTF8Text(id))
  }

  /// Its key in the store; an app's id holds no slash.
  var recordKey: String { "\(app)/\(id)" }
}
