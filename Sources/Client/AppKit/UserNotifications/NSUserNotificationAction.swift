public import Foundation

/// A further action of a notification.
@available(macOS, deprecated: 11.0, message: "Use UNNotificationAction")
open class NSUserNotificationAction: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The app's name for it.
  public let identifier: String?

  /// Its text.
  public let title: String?

  /// An action.
  public init(identifier: String?, title: String?) {
    self.identifier = identifier
    self.title = title
    super.init()
  }

  /// Whether the other action is the same.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSUserNotificationAction else { return false }
    return identifier == other.identifier && title == other.title
  }

  /// The hash of the identifier.
  open override var hash: Int { identifier.hashValue }

  /// Returns the action itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
