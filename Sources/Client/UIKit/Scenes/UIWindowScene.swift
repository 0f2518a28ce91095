import Foundation

/// A scene that has windows.
@preconcurrency @MainActor
open class UIWindowScene: UIScene {
  /// The windows that belong to the scene.
  open internal(set) var windows: [UIWindow] = []

  /// The key window of the scene.
  open var keyWindow: UIWindow? { windows.first { $0.isKeyWindow } }

  /// The main screen; its area is empty, because nothing is drawn.
  open var screen: UIScreen { .main }

  /// Creates a scene for a session.
  public required init(session: UISceneSession, connectionOptions: UIScene.ConnectionOptions) {
    super.init(session: session, connectionOptions: connectionOptions)
  }
}
