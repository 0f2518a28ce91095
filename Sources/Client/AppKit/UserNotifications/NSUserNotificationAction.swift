public import Foundation

/// An additional action of a notification.
@available(macOS, deprecated: 11.0, message: "Use UNNotificationAction")
open class NSUserNotificationAction: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The app's identifier for the action.
  public let identifier: String?

  /// The title of the action.
  public let title: String?

  /// Creates an action with the given identifier and title.
  public init(identifier: String?, title: String?) {
    self.identifier = identifier
    self.title = title
    super.init()
  }

  /// Returns whether the other action has the same identifier and title.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSUserNotificationAction else { return false }
    return identifier == other.identifier && title == other.title
  }

  /// The hash value of the identifier.
  open override var hash: Int { identifier.hashValue }

  /// Returns the same object, because actions are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
