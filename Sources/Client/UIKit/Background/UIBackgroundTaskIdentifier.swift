/// A stretch of work that the app asked to finish in the background.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  /// The number.
  public var rawValue: Int

  /// An identifier from its number.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// No task: what is returned when there is no time.
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// No task, by its name before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIBackgroundTaskIdentifier.invalid")
public let UIBackgroundTaskInvalid = UIBackgroundTaskIdentifier.invalid
