/// An error in a push that is detected before it is sent: the service would refuse the push, or the device would not
/// understand it.
public enum PushFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The device token is not hexadecimal text.
  case badToken
  /// The app is not a valid bundle identifier.
  case badApp(String)
  /// The payload exceeds the limit of its push type, in bytes (apns-protocol 1.6).
  case payloadTooLarge(bytes: Int, limit: Int)
  /// The push type does not allow this priority (apns-protocol 1.5).
  case badPriority(Push.Priority, type: String)
  /// `apns-collapse-id` is empty, longer than 64 bytes, or contains control characters.
  case badCollapseID
  /// `apns-id` is not a UUID in its canonical form.
  case badID(String)
  /// A member of the content has an invalid value.
  case badValue(member: String, wanted: String)
  /// The app's custom members contain `aps`, which is reserved for the system.
  case reservedMember(String)
  /// The app's custom members cannot be encoded as a JSON object.
  case notEncodable(String)

  /// A description of the error and how to fix it.
  public var description: String {
    switch self {
    case .badToken: "the device token is not a hex string: use it exactly as the app sent it"
    case .badApp(let app):
      "'\(app)' is not a valid bundle identifier: use a form such as com.example.app"
    case .payloadTooLarge(let bytes, let limit):
      "the payload has \(bytes) bytes: the limit is \(limit)"
    case .badPriority(let priority, let type):
      "priority \(priority.rawValue) is not allowed for \(type) pushes: omit it"
    case .badCollapseID: "invalid collapse id: expected 1 to 64 bytes"
    case .badID(let id): "'\(id)' is not a lowercase canonical UUID: omit it"
    case .badValue(let member, let wanted): "invalid \(member): expected \(wanted)"
    case .reservedMember(let key):
      "the custom data contains the reserved key '\(key)': choose another name"
    case .notEncodable(let why): "the custom data is not a JSON object (\(why))"
    }
  }
}
