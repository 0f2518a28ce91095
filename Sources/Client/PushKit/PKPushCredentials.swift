public import Foundation

/// The credentials for one type of push.
open class PKPushCredentials: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The type of the push, one of the registry's `desiredPushTypes`.
  public let type: PKPushType

  /// The device token to send to the app's server; its length can vary.
  public let token: Data

  init(type: PKPushType, token: Data) {
    self.type = type
    self.token = token
    super.init()
  }
}

/// The content of a push that is delivered to the app itself.
open class PKPushPayload: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant, and the dictionary is never modified.

  /// The type of the push, one of the registry's `desiredPushTypes`.
  public let type: PKPushType

  /// The content that the server sent.
  public let dictionaryPayload: [AnyHashable: Any]

  init(type: PKPushType, dictionaryPayload: [AnyHashable: Any]) {
    self.type = type
    self.dictionaryPayload = dictionaryPayload
    super.init()
  }
}

/// The system's metadata for a push about an incoming call.
open class PKVoIPPushMetadata: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// A Boolean value that indicates whether the app must report the call with `CallKit`; always false.
  ///
  /// On this system, an app that does not report the call is not terminated.
  public let mustReport: Bool

  init(mustReport: Bool) {
    self.mustReport = mustReport
    super.init()
  }
}
