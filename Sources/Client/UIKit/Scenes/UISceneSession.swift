public import Foundation

/// The information that the system stores about a scene.
@preconcurrency @MainActor
open class UISceneSession: NSObject {
  /// The roles of a scene.
  public struct Role: RawRepresentable, Hashable, Sendable {
    /// The name of the role, as on Apple's systems.
    public var rawValue: String

    /// Creates a role from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The role of the app's own windows.
    public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")

    /// The role of windows on an external display.
    public static let windowExternalDisplayNonInteractive = Role(
      rawValue: "UIWindowSceneSessionRoleExternalDisplayNonInteractive")

    /// The role of windows on an external display.
    @available(iOS, deprecated: 16.0, renamed: "windowExternalDisplayNonInteractive")
    public static let windowExternalDisplay = Role(
      rawValue: "UIWindowSceneSessionRoleExternalDisplay")
  }

  /// The scene, while it is connected.
  open internal(set) var scene: UIScene?

  /// The role of the scene.
  public let role: UISceneSession.Role

  /// The configuration of the scene.
  open internal(set) var configuration: UISceneConfiguration

  /// The identifier of the scene, which stays the same across launches.
  public let persistentIdentifier: String

  /// The activity to restore at the next launch; stored only while the app runs.
  open var stateRestorationActivity: NSUserActivity?

  /// The app's custom data; stored only while the app runs.
  open var userInfo: [String: Any]?

  init(role: Role, identifier: String) {
    self.role = role
    persistentIdentifier = identifier
    configuration = UISceneConfiguration(name: nil, sessionRole: role)
    super.init()
  }
}

/// The configuration of a scene.
@preconcurrency @MainActor
open class UISceneConfiguration: NSObject, NSCopying {
  /// The name of the configuration in the app's manifest.
  nonisolated public let name: String?

  /// The role of the scene.
  nonisolated public let role: UISceneSession.Role

  /// The class of the scene; nil for `UIWindowScene`.
  open var sceneClass: AnyClass?

  /// The class of the scene's delegate; nil for the class in the manifest.
  open var delegateClass: AnyClass?

  /// Creates a configuration with a name from the app's manifest.
  nonisolated public init(name: String?, sessionRole: UISceneSession.Role) {
    self.name = name
    role = sessionRole
    super.init()
  }

  /// Returns the same configuration.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any { self }
}
