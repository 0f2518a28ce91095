public import Foundation

/// Whether the app may be used by voice.
public enum INSiriAuthorizationStatus: Int, Sendable {
  /// The user has not been asked.
  case notDetermined = 0
  /// The device does not allow it.
  case restricted = 1
  /// The user does not allow it.
  case denied = 2
  /// The user allows it.
  case authorized = 3
}

/// The user's settings for intents: there is no assistant on this system.
open class INPreferences: NSObject {
  /// Restricted: nothing can be asked.
  open class func siriAuthorizationStatus() -> INSiriAuthorizationStatus { .restricted }

  /// Does not ask, and says that it is restricted.
  open class func requestSiriAuthorization(
    _ handler: @escaping @Sendable (INSiriAuthorizationStatus) -> Void
  ) { DispatchQueue.global().async { handler(.restricted) } }

  /// The first of the user's languages.
  open class func siriLanguageCode() -> String { Locale.preferredLanguages.first ?? "en" }
}
