/// The name of a sound file: in the app's `Library/Sounds`, or else in its bundle.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
  /// The file name with its extension.
  public var rawValue: String

  /// A name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// A name.
  public init(rawValue: String) { self.rawValue = rawValue }
}
