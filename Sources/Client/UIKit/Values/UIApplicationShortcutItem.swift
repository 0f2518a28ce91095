public import Foundation

/// An action of the app's launcher, as a value: on this system the launcher offers none.
open class UIApplicationShortcutItem: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: every stored property is a constant, and the dictionary is never changed.

  /// The app's name for it.
  public let type: String

  /// Its text.
  public let localizedTitle: String

  /// More about it.
  public let localizedSubtitle: String?

  /// The app's own data.
  public let userInfo: [String: any NSSecureCoding]?

  /// An action.
  public init(
    type: String, localizedTitle: String, localizedSubtitle: String? = nil,
    userInfo: [String: any NSSecureCoding]? = nil
  ) {
    self.type = type
    self.localizedTitle = localizedTitle
    self.localizedSubtitle = localizedSubtitle
    self.userInfo = userInfo
    super.init()
  }

  /// Returns the action itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
