/// The name of a sound file in the app's `Library/Sounds` directory or, if it is not there, in the app's bundle.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
  /// The file name with its extension.
  public var rawValue: String

  /// Creates a name from the file name of a sound, including the extension.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// Creates a name from the file name of a sound, including the extension.
  public init(rawValue: String) { self.rawValue = rawValue }
}
