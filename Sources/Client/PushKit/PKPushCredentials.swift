public import Foundation

/// The token of one type of push.
open class PKPushCredentials: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// Which type.
  public let type: PKPushType

  /// What the app's server needs; of any length.
  public let token: Data

  init(type: PKPushType, token: Data) {
    self.type = type
    self.token = token
    super.init()
  }
}

/// A push for the app's own hands.
open class PKPushPayload: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant, and the dictionary is never changed.

  /// Which type.
  public let type: PKPushType

  /// What the server sent.
  public let dictionaryPayload: [AnyHashable: Any]

  init(type: PKPushType, dictionaryPayload: [AnyHashable: Any]) {
    self.type = type
    self.dictionaryPayload = dictionaryPayload
    super.init()
  }
}

/// The system's data about an incoming call.
open class PKVoIPPushMetadata: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// Whether the app has to report a call (`CallKit`): on this system nothing ends an app that does not.
  public let mustReport: Bool

  init(mustReport: Bool) {
    self.mustReport = mustReport
    super.init()
  }
}
