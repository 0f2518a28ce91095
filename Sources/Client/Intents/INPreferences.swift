public import Foundation

/// The app's permission to work with the voice assistant.
public enum INSiriAuthorizationStatus: Int, Sendable {
  /// The user has not been asked yet.
  case notDetermined = 0
  /// The device does not allow the voice assistant.
  case restricted = 1
  /// The user denied permission.
  case denied = 2
  /// The user granted permission.
  case authorized = 3
}

/// The user's preferences for intents; this system has no assistant.
open class INPreferences: NSObject {
  /// Returns `.restricted`, because the user cannot be asked.
  open class func siriAuthorizationStatus() -> INSiriAuthorizationStatus { .restricted }

  /// Passes `.restricted` to the handler without showing a prompt.
  open class func requestSiriAuthorization(
    _ handler: @escaping @Sendable (INSiriAuthorizationStatus) -> Void
  ) { DispatchQueue.global().async { handler(.restricted) } }

  /// Returns the first of the user's preferred languages.
  open class func siriLanguageCode() -> String { Locale.preferredLanguages.first ?? "en" }
}
