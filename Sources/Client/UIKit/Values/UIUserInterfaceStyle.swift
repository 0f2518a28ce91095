/// The appearance of the app, light or dark; nothing is drawn on this system.
public enum UIUserInterfaceStyle: Int, Sendable {
  /// The appearance that the user prefers.
  case unspecified = 0
  /// The light appearance of the app.
  case light = 1
  /// The dark appearance of the app.
  case dark = 2
}
