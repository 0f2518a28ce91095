public import Foundation

/// A scene as the system remembers it.
@preconcurrency @MainActor
open class UISceneSession: NSObject {
  /// What a scene is for.
  public struct Role: RawRepresentable, Hashable, Sendable {
    /// The role's name, as on Apple's systems.
    public var rawValue: String

    /// A role from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The app's own windows.
    public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")

    /// Windows on another screen.
    public static let windowExternalDisplayNonInteractive = Role(
      rawValue: "UIWindowSceneSessionRoleExternalDisplayNonInteractive")

    /// Windows on another screen.
    @available(iOS, deprecated: 16.0, renamed: "windowExternalDisplayNonInteractive")
    public static let windowExternalDisplay = Role(
      rawValue: "UIWindowSceneSessionRoleExternalDisplay")
  }

  /// The scene, while it is connected.
  open internal(set) var scene: UIScene?

  /// What it is for.
  public let role: UISceneSession.Role

  /// How it is set up.
  open internal(set) var configuration: UISceneConfiguration

  /// The same for the same scene at each launch.
  public let persistentIdentifier: String

  /// The state to restore at the next launch; stored while the app runs.
  open var stateRestorationActivity: NSUserActivity?

  /// The app's own data; stored while the app runs.
  open var userInfo: [String: Any]?

  init(role: Role, identifier: String) {
    self.role = role
    persistentIdentifier = identifier
    configuration = UISceneConfiguration(name: nil, sessionRole: role)
    super.init()
  }
}

/// How a scene is set up.
@preconcurrency @MainActor
open class UISceneConfiguration: NSObject, NSCopying {
  /// The name of the set-up in the app's manifest.
  nonisolated public let name: String?

  /// What the scene is for.
  nonisolated public let role: UISceneSession.Role

  /// The class of the scene; a window scene when nil.
  open var sceneClass: AnyClass?

  /// The class of the scene's delegate; the manifest's when nil.
  open var delegateClass: AnyClass?

  /// A set-up with a name of the manifest.
  nonisolated public init(name: String?, sessionRole: UISceneSession.Role) {
    self.name = name
    role = sessionRole
    super.init()
  }

  /// Returns the set-up itself.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any { self }
}
