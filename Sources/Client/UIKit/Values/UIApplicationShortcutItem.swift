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

  /// Its image.
  public let icon: UIApplicationShortcutIcon?

  /// The app's own data.
  public let userInfo: [String: any NSSecureCoding]?

  /// An action.
  public init(
    type: String, localizedTitle: String, localizedSubtitle: String? = nil,
    icon: UIApplicationShortcutIcon? = nil, userInfo: [String: any NSSecureCoding]? = nil
  ) {
    self.type = type
    self.localizedTitle = localizedTitle
    self.localizedSubtitle = localizedSubtitle
    self.icon = icon
    self.userInfo = userInfo
    super.init()
  }

  /// Returns the action itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The image of a launcher's action, as a value.
open class UIApplicationShortcutIcon: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the name is a constant.
  let name: String

  /// An image of the app's folder.
  public init(templateImageName: String) {
    name = templateImageName
    super.init()
  }

  /// An image of the system.
  public init(systemImageName: String) {
    name = systemImageName
    super.init()
  }

  /// Returns the icon itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
