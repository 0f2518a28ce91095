import Foundation

/// The scene configurations in the app's manifest (`UIApplicationSceneManifest` of its Info.plist).
enum SceneManifest {
  /// The reason that a scene that the app describes has no delegate class, with the advice for the developer.
  struct Failure: Error {
    let message: String
  }

  /// The scene manifest of this app.
  static var current: Any? {
    Bundle.main.object(forInfoDictionaryKey: "UIApplicationSceneManifest")
  }

  /// Returns the class of a scene's delegate; nil if the app describes no scene.
  ///
  /// A scene without a name has the first configuration in the manifest. The app's module replaces Xcode's variable for
  /// it.
  static func delegateClass(
    named name: String?, role: UISceneSession.Role, module: String, in manifest: Any?
  ) throws(Failure) -> NSObject.Type? {
    let roles = (manifest as? [String: Any])?["UISceneConfigurations"] as? [String: Any]
    let configurations = roles?[role.rawValue] as? [[String: Any]] ?? []
    let named = configurations.first { $0["UISceneConfigurationName"] as? String == name }
    let configuration = name == nil ? configurations.first : named
    guard let className = configuration?["UISceneDelegateClassName"] as? String else {
      guard let name else { return nil }
      throw Failure(
        message:
          "the scene '\(name)' is not connected, because it has no delegate class: put an Info.plist that "
          + "describes it next to the program, or \(advice)")
    }
    let expanded =
      className
      .replacingOccurrences(of: "$(PRODUCT_MODULE_NAME)", with: module)
      .replacingOccurrences(of: "${PRODUCT_MODULE_NAME}", with: module)
    // In Swift, the name of a class includes its module.
    let fullName = expanded.contains(".") ? expanded : "\(module).\(expanded)"
    guard let delegateClass = NSClassFromString(fullName) as? NSObject.Type else {
      throw Failure(
        message:
          "the scene is not connected, because this program has no class '\(fullName)': correct "
          + "UISceneDelegateClassName in Info.plist, or \(advice)")
    }
    return delegateClass
  }

  private static let advice =
    "set delegateClass in application(_:configurationForConnecting:options:)"
}
