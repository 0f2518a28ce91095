/// Whether the app looks light or dark; on this system nothing is drawn.
public enum UIUserInterfaceStyle: Int, Sendable {
  /// As the user likes.
  case unspecified = 0
  /// Light.
  case light = 1
  /// Dark.
  case dark = 2
}
