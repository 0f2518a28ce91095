/// The identifier of a task that the app wants to finish in the background.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  /// The number of the task.
  public var rawValue: Int

  /// Creates an identifier from its number.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The identifier that represents no task; never returned by this system.
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of `UIBackgroundTaskIdentifier.invalid` before Swift 4.2.
@available(iOS, deprecated: 12.0, renamed: "UIBackgroundTaskIdentifier.invalid")
public let UIBackgroundTaskInvalid = UIBackgroundTaskIdentifier.invalid
