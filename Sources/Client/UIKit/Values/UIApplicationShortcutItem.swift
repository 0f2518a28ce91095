public import Foundation

/// A Home Screen quick action.
///
/// It stores its values; the launcher on this system does not offer quick actions.
open class UIApplicationShortcutItem: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: every stored property is a constant, and the dictionary is never modified.

  /// The type of the action, which the app defines.
  public let type: String

  /// The title shown to the user.
  public let localizedTitle: String

  /// The subtitle shown to the user.
  public let localizedSubtitle: String?

  /// The icon of the action.
  public let icon: UIApplicationShortcutIcon?

  /// The app's custom data.
  public let userInfo: [String: any NSSecureCoding]?

  /// Creates a quick action.
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

  /// Returns the same object, because quick actions are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The icon of a Home Screen quick action; not shown on this system.
open class UIApplicationShortcutIcon: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the name is a constant.
  let name: String

  /// Creates an icon from an image in the app's directory.
  public init(templateImageName: String) {
    name = templateImageName
    super.init()
  }

  /// Creates an icon from a system image.
  public init(systemImageName: String) {
    name = systemImageName
    super.init()
  }

  /// Returns the same object, because icons are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
