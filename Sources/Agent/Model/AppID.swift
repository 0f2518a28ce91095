import AppWire
import BelfryWire

/// An app's identity in reverse-DNS form, as in bundle identifiers, desktop files, and D-Bus names.
package struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The identifier as it was received.
  package let text: String

  /// Creates an identity; nil unless the string consists of at least two parts, separated by dots, of letters, digits,
  /// `-`, and `_`.
  package init?(_ text: String) {
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

  /// The form of an app ID, as error messages describe it.
  package static let form =
    "at least two parts separated by dots, such as org.example.app; each part consists of letters, digits, '-' and '_'"

  /// Returns the error message for a string that isn't an app ID.
  package static func message(forInvalid text: String) -> String {
    "invalid app ID '\(text)': expected \(form)"
  }

  /// The identifier as a string.
  package var description: String { text }
  /// Compares the bytes of the identifiers.
  package static func < (one: AppID, other: AppID) -> Bool { one.text < other.text }
}

/// The key of one notification of one app, which identifies the notification when it is replaced, withdrawn, or
/// answered.
package struct AppNotificationID: Hashable, Sendable {
  /// The app that the notification belongs to.
  package var app: AppID
  /// The app's own identifier for the notification.
  package var id: String

  /// Creates a key.
  package init(app: AppID, id: String) {
    self.app = app
    self.id = id
  }

  /// Returns true if the apps are equal and the identifiers have the same bytes, because names on disk are also
  /// compared by their bytes.
  package static func == (one: AppNotificationID, other: AppNotificationID) -> Bool {
    one.app == other.app && one.id.hasSameBytes(as: other.id)
  }

  /// Hashes the app and the bytes of the identifier.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(app)
    hasher.combine(UTF8Text(id))
  }

  /// The notification's key in the store; an app's ID contains no slash.
  package var recordKey: String { "\(app)/\(id)" }
}
