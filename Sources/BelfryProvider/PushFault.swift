/// An error in a push that is found before it is sent: the service would refuse it, or the device would not understand
/// it.
public enum PushFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The device token is not hexadecimal text.
  case badToken
  /// The app is not a valid bundle identifier.
  case badApp(String)
  /// The payload exceeds the limit of its push type, in bytes (apns-protocol 1.6).
  case payloadTooLarge(bytes: Int, limit: Int)
  /// The push type does not allow the priority (apns-protocol 1.5).
  case badPriority(Push.Priority, type: String)
  /// `apns-collapse-id` is empty, longer than 64 bytes, or contains control characters.
  case badCollapseID
  /// `apns-id` is not a UUID in canonical text.
  case badID(String)
  /// A member of the content has an invalid value.
  case badValue(member: String, wanted: String)
  /// The app's custom members contain `aps`, which is reserved for the system.
  case reservedMember(String)
  /// The app's custom members cannot be encoded as a JSON object.
  case notEncodable(String)

  /// A description of the error and its remedy.
  public var description: String {
    switch self {
    case .badToken: "the device token is no hexadecimal text: give it as the app sent it"
    case .badApp(let app):
      "'\(app)' is not a valid bundle identifier: give one such as com.example.app"
    case .payloadTooLarge(let bytes, let limit):
      "the payload has \(bytes) bytes: shorten it to \(limit)"
    case .badPriority(let priority, let type):
      "priority \(priority.rawValue) is not for \(type) pushes: leave it out"
    case .badCollapseID: "the collapse id is no text of 1 to 64 bytes: shorten it"
    case .badID(let id): "'\(id)' is no UUID in lower-case canonical text: leave it out"
    case .badValue(let member, let wanted): "\(member) is not \(wanted): give that"
    case .reservedMember(let key): "the app's own members have '\(key)': choose another name"
    case .notEncodable(let why): "the app's own members are no JSON object (\(why)): encode one"
    }
  }
}
