import Foundation

/// A scene with windows.
@preconcurrency @MainActor
open class UIWindowScene: UIScene {
  /// The windows that were given to it.
  open internal(set) var windows: [UIWindow] = []

  /// The window that was made key.
  open var keyWindow: UIWindow? { windows.first { $0.isKeyWindow } }

  /// The screen: empty.
  open var screen: UIScreen { .main }

  /// A scene of a session.
  public required init(session: UISceneSession, connectionOptions: UIScene.ConnectionOptions) {
    super.init(session: session, connectionOptions: connectionOptions)
  }
}
